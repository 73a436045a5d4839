// Package pipeline moves a record from Kafka to ClickHouse. Its folders stand in the order of the data:
//
//	feed      takes batches of records from Kafka and commits their offsets once they are stored
//	format    tells the dialect of a record and decodes it into messages
//	assemble  merges messages into the runs known so far, whatever order and repetition they come in
//	store     writes transcripts and facts to ClickHouse
//
// Between assemble and store stands package metrics, which mines the facts of a run.
package pipeline
