package pipeline

import (
	"context"
	"errors"

	"errata/pipeline/assemble"
	"errata/pipeline/feed"
	"errata/transcript"
)

// strays are the runs of a batch that came under another key than their own. Their records may be on several partitions,
// so that several ingesters may each know a part of them at the same time.
func strays(batch feed.Batch, decoded []decodedRecord) (ids []transcript.RunID) {
	seen := map[transcript.RunID]bool{}
	for i, d := range decoded {
		for _, fragment := range d.out.Fragments {
			id := fragment.Meta.ID
			if string(batch.Records[i].Key) != string(id) && !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// attempts is how often a run is merged again because others keep storing parts of it.
const attempts = 5

// settling is a batch of which some runs may be written by others at the same time.
type settling struct {
	batch   feed.Batch
	decoded []decodedRecord
	stray   []transcript.RunID
}

// settle gives the changed runs with what others have stored of the strays among them meanwhile. It is called when this
// batch's transcripts are stored and its facts are not: of two ingesters that store parts of one run at the same time at
// least the later one sees both parts here, and writes the facts of the whole.
func (p *Pipeline) settle(ctx context.Context, s settling, changed []assemble.Changed) ([]assemble.Changed, error) {
	for range attempts {
		behind, err := p.behind(ctx, changed, s.stray)
		if err != nil || len(behind) == 0 {
			return changed, err
		}
		p.assemble.Forget(behind)
		again, err := p.join(ctx, arrivalsOf(s.batch, s.decoded, behind))
		if err != nil {
			return nil, err
		}
		if err := p.store.WriteTranscripts(ctx, rowsOf(again.Changed)); err != nil {
			return nil, err
		}
		changed = replaced(changed, again.Changed)
	}
	return nil, errors.New("other ingesters keep storing parts of the same runs; give records the run id as their key")
}

// behind gives the strays of which the table knows something else than memory does.
func (p *Pipeline) behind(ctx context.Context, changed []assemble.Changed, stray []transcript.RunID) ([]transcript.RunID, error) {
	known := map[transcript.RunID]uint64{}
	for _, c := range changed {
		known[c.Run.Meta.ID] = c.Version
	}
	versions, err := p.store.Versions(ctx, stray)
	if err != nil {
		return nil, err
	}
	var out []transcript.RunID
	for _, id := range stray {
		if version, ok := known[id]; ok && versions[id] != version {
			out = append(out, id)
		}
	}
	return out, nil
}

// arrivalsOf gives what a batch says of some runs.
func arrivalsOf(batch feed.Batch, decoded []decodedRecord, runs []transcript.RunID) []assemble.Arrival {
	wanted := map[transcript.RunID]bool{}
	for _, id := range runs {
		wanted[id] = true
	}
	out := arrivals(batch.Records, decoded)
	for i := range out {
		var kept []transcript.Fragment
		for _, fragment := range out[i].Fragments {
			if wanted[fragment.Meta.ID] {
				kept = append(kept, fragment)
			}
		}
		out[i].Fragments = kept
	}
	return out
}

// replaced gives a list in which later knowledge of a run stands in the place of the earlier.
func replaced(changed, later []assemble.Changed) []assemble.Changed {
	at := map[transcript.RunID]int{}
	out := append([]assemble.Changed(nil), changed...)
	for i, c := range out {
		at[c.Run.Meta.ID] = i
	}
	for _, c := range later {
		if i, ok := at[c.Run.Meta.ID]; ok {
			out[i] = c
		}
	}
	return out
}

func rowsOf(changed []assemble.Changed) []transcript.Row {
	var rows []transcript.Row
	for _, c := range changed {
		rows = append(rows, c.Rows...)
	}
	return rows
}
