package pipeline

import (
	"context"

	"errata/transcript"
)

// withoutBuried gives what was decoded without the runs that were deleted. It asks for each batch, since a run may be
// deleted while it is in memory. What a record says of other runs stays.
func (p *Pipeline) withoutBuried(ctx context.Context, decoded []decodedRecord) ([]decodedRecord, error) {
	var ids []transcript.RunID
	seen := map[transcript.RunID]bool{}
	for _, d := range decoded {
		for _, fragment := range d.out.Fragments {
			if id := fragment.Meta.ID; !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	buried, err := p.store.Buried(ctx, ids)
	if err != nil || len(buried) == 0 {
		return decoded, err
	}
	p.assemble.Forget(buried)
	gone := map[transcript.RunID]bool{}
	for _, id := range buried {
		gone[id] = true
	}
	out := make([]decodedRecord, len(decoded))
	for i, d := range decoded {
		out[i] = d
		out[i].out.Fragments = nil
		for _, fragment := range d.out.Fragments {
			if gone[fragment.Meta.ID] {
				p.counters.buried.Inc()
				continue
			}
			out[i].out.Fragments = append(out[i].out.Fragments, fragment)
		}
	}
	return out, nil
}
