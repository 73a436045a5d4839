package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"errata/internal/settings"
	"errata/pipeline/feed"
	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/pipeline/format/record"
)

const aboutRejects = `
ingest rejects shows what could not be used. Such records are on the topic <topic>.rejected, with their original bytes, key
and headers and the reason. After the cause is mended, which is a new version of ingest or another setting, -resend puts
them back on the topic that they came from.

    ingest rejects [settings]                      one line for each record
    ingest rejects -explain PARTITION/OFFSET       everything about one, and whether it can be read by now
    ingest rejects -resend [-reason R] [-force]    send again what can be read by now; with -force the rest too

Sending again counts nothing twice, however often: a record that was stored already changes nothing.`

// rejectsTold is what the command is told.
type rejectsTold struct {
	reason, explain *string
	resend, force   *bool
	maxRecord       *int
}

func runRejects(ctx context.Context, args []string, w world) error {
	const command = "ingest rejects"
	set := settings.New(command, aboutRejects, w.getenv)
	target := set.Kafka()
	told := rejectsTold{
		reason:    set.String("reason", "", "", "only records with this reason"),
		explain:   set.String("explain", "", "", "PARTITION/OFFSET of one record, as the list shows them"),
		resend:    set.Bool("resend", "", false, "put the records back on the topic that they came from"),
		force:     set.Bool("force", "", false, "with -resend: also those that would be rejected again"),
		maxRecord: set.Size("max-record", "ERRATA_MAX_RECORD", feed.DefaultConfig().MaxRecord, "the largest record that is read"),
	}
	rest, err := set.Parse(args, w.out, version)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return settings.Usagef("%s: takes no arguments, got %q", command, rest[0])
	}
	if *told.force && !*told.resend {
		return settings.Usagef("%s: -force goes with -resend", command)
	}
	cluster, err := target.Connect()
	if err != nil {
		return err
	}
	topic := feed.Topic{Brokers: target.Brokers(), Name: target.Topic(), Dialer: cluster.Dialer, Transport: cluster.Transport}
	switch {
	case *told.explain != "":
		return explainReject(ctx, topic, told, w)
	case *told.resend:
		return resendRejects(ctx, topic, told, w)
	}
	return listRejects(ctx, topic, told, w)
}

func (t rejectsTold) wants(r feed.Refused) bool { return *t.reason == "" || *t.reason == r.Reason }

func listRejects(ctx context.Context, topic feed.Topic, told rejectsTold, w world) error {
	count := 0
	err := topic.Rejects(ctx, func(r feed.Refused) error {
		if !told.wants(r) {
			return nil
		}
		count++
		_, err := fmt.Fprintf(w.out, "%s  %s  key %.60q  from %s  %d bytes  %s\n", place(r), r.Reason, r.Key, r.Origin(), max(r.Whole, len(r.Value)), r.Message)
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(w.out, "%d records on %s\n", count, feed.RejectsTopic(topic.Name))
	return nil
}

// place is how a record on the rejects topic is called.
func place(r feed.Refused) string { return fmt.Sprintf("%d/%d", r.Partition, r.Offset) }

func explainReject(ctx context.Context, topic feed.Topic, told rejectsTold, w world) error {
	found := false
	err := topic.Rejects(ctx, func(r feed.Refused) error {
		if place(r) != *told.explain {
			return nil
		}
		found = true
		fmt.Fprintf(w.out, "record    %s of %s\nfrom      topic %s, partition %d, offset %d, %s\nkey       %q\nreason    %s\nmessage   %s\n",
			place(r), feed.RejectsTopic(topic.Name), r.Topic, r.SourcePartition, r.SourceOffset, r.Came.Format(time.RFC3339), r.Key, r.Reason, r.Message)
		for name, value := range r.Headers {
			if !strings.HasPrefix(name, "errata-reject-") {
				fmt.Fprintf(w.out, "header    %s: %s\n", name, value)
			}
		}
		fmt.Fprintf(w.out, "by now    %s\nvalue     %.1024q\n", byNow(r, *told.maxRecord), r.Value)
		return nil
	})
	if err == nil && !found {
		err = settings.Usagef("ingest rejects: -explain %s: there is no such record; ingest rejects lists them", *told.explain)
	}
	return err
}

// byNow says what this version makes of a record.
func byNow(r feed.Refused, maxRecord int) string {
	if r.Whole > 0 {
		return fmt.Sprintf("only the first %d of %d bytes are here; send the record anew from where it came, in parts", len(r.Value), r.Whole)
	}
	if reject := stillRejected(r, maxRecord); reject != nil {
		return "it would be rejected again: " + reject.Error()
	}
	return "it can be read; ingest rejects -resend puts it back"
}

// stillRejected decodes a record as the pipeline would. What is refused only when runs are put together does not show.
func stillRejected(r feed.Refused, maxRecord int) (reject error) {
	defer func() {
		if value := recover(); value != nil {
			reject = fmt.Errorf("reading it still fails: %v", value)
		}
	}()
	limits := format.DefaultLimits()
	limits.Bytes = maxRecord
	out, _, err := format.Decode(dialect.Input{Value: r.Value, Key: string(r.Key), Headers: r.Headers}, limits)
	if err != nil {
		return record.Refuse(err)
	}
	if len(out.Rejects) > 0 {
		return out.Rejects[0]
	}
	return nil
}

// resent counts what became of rejected records.
type resent struct{ sent, repeated, cut, still int }

func resendRejects(ctx context.Context, topic feed.Topic, told rejectsTold, w world) error {
	resender := topic.Resender()
	defer resender.Close()
	var count resent
	seen := map[[sha256.Size]byte]bool{}
	err := topic.Rejects(ctx, func(r feed.Refused) error {
		if !told.wants(r) {
			return nil
		}
		id := sha256.Sum256(fmt.Appendf(nil, "%d:%s%s", len(r.Key), r.Key, r.Value))
		switch {
		case r.Whole > 0:
			count.cut++
			return nil
		case seen[id]:
			count.repeated++
			return nil
		case !*told.force && stillRejected(r, *told.maxRecord) != nil:
			count.still++
			return nil
		}
		seen[id] = true
		count.sent++
		return resender.Send(ctx, r)
	})
	fmt.Fprintf(w.out, "%d records sent again to %s; %d were there more than once; %d would be rejected again; of %d only the beginning is there\n",
		count.sent, topic.Name, count.repeated, count.still, count.cut)
	return err
}
