package pipeline_test

import (
	"testing"

	"errata/internal/simulate"
	"errata/pipeline"
)

// Records without a key lie on any partition, so that two ingesters each see a part of a run, at the same time. The tables
// are those of one ingester that saw all.
func TestPartsOfARunAtTwoIngesters(t *testing.T) {
	cfg := simulate.Small()
	cfg.RunsPerDay = 8
	var given []simulate.Record
	for run := range simulate.Generate(cfg) {
		given = append(given, run.Increments(4)...)
	}
	all := records(given)
	for i := range all {
		all[i].Key = nil
	}
	clean := newWorld(t)
	clean.handle(clean.pipeline(), all)

	torn := newWorld(t)
	ingesters := []*pipeline.Pipeline{torn.pipeline(), torn.pipeline()}
	for i := range all {
		torn.handle(ingesters[i%2], all[i:i+1])
	}
	same(t, "facts", clean.facts("stored_at"), torn.facts("stored_at"))
}
