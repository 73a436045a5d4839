package otlp

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Numbers of the fields that requests of all signals have in common (trace_service.proto, logs_service.proto).
const (
	fieldResources protowire.Number = 1    // of a request: resource_spans, resource_logs, resource_metrics
	fieldResource  protowire.Number = 1    // of one of these
	fieldScopes    protowire.Number = 2    // scope_spans, scope_logs, scope_metrics
	fieldOlder     protowire.Number = 1000 // instrumentation_library_spans, before version 0.15 of the protocol
	fieldRecords   protowire.Number = 2    // of a scope: spans, log_records, metrics
)

// signal is what a request carries. The three begin alike: only their innermost messages tell them apart.
type signal int

const (
	unknownSignal signal = iota
	traceSignal
	logSignal
	metricSignal
)

// signalOf tells what a request in protobuf carries, from its first span, log record or metric. Bytes that were cut are
// looked at as far as they go.
func signalOf(value []byte) signal {
	for _, resources := range messages(value, fieldResources, nil) {
		for _, number := range []protowire.Number{fieldScopes, fieldOlder} {
			for _, scope := range messages(resources, number, []protowire.Number{1, 2, 3, fieldOlder}) {
				for _, innermost := range messages(scope, fieldRecords, []protowire.Number{1, 2, 3}) {
					if s := signalOfOne(innermost); s != unknownSignal {
						return s
					}
				}
			}
		}
	}
	return unknownSignal
}

// fewMessages is how many messages of a level are looked at to tell the signal.
const fewMessages = 8

// messages gives the first messages under a number, the last of them cut where the bytes end. Where a field has none
// of the known numbers, or is no message, there are none.
func messages(value []byte, number protowire.Number, known []protowire.Number) [][]byte {
	var out [][]byte
	for rest := value; len(rest) > 0 && len(out) < fewMessages; {
		n, kind, tag := protowire.ConsumeTag(rest)
		if tag < 0 && len(out) > 0 {
			break
		}
		if tag < 0 || kind != protowire.BytesType || n != number && !slices.Contains(known, n) {
			return nil
		}
		length, prefix := protowire.ConsumeVarint(rest[tag:])
		if prefix < 0 {
			break
		}
		rest = rest[tag+prefix:]
		cut := min(length, uint64(len(rest)))
		if n == number {
			out = append(out, rest[:cut])
		}
		rest = rest[cut:]
	}
	return out
}

// signalOfOne tells a span, which begins with ids of 16 and 8 bytes, a log record, which has a time, and a metric, which
// has a name and data.
func signalOfOne(message []byte) signal {
	named := false
	for rest := message; len(rest) > 0; {
		number, kind, tag := protowire.ConsumeTag(rest)
		if tag < 0 {
			return unknownSignal
		}
		length := protowire.ConsumeFieldValue(number, kind, rest[tag:])
		if length < 0 {
			return unknownSignal
		}
		value, _ := protowire.ConsumeBytes(rest[tag:])
		switch {
		case kind == protowire.Fixed64Type && (number == 1 || number == 11):
			return logSignal
		case kind == protowire.BytesType && number == 2 && len(value) == 8:
			return traceSignal
		case kind == protowire.BytesType && number == 1:
			named = true
		case kind == protowire.BytesType && named && (number == 5 || number == 7 || number >= 9 && number <= 11):
			return metricSignal
		case kind == protowire.BytesType && number > 16:
			return unknownSignal
		}
		rest = rest[tag+length:]
	}
	return unknownSignal
}
