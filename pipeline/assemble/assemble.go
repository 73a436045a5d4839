package assemble

import (
	"context"
	"fmt"
	"slices"
	"time"

	"errata/pipeline/format/dialect"
	"errata/transcript"
)

// Loader reads stored runs back. Runs that are not stored are not in its answer.
type Loader interface {
	Load(ctx context.Context, runs []transcript.RunID) (map[transcript.RunID][]transcript.Row, error)
}

// Arrival is what one Kafka record brought.
type Arrival struct {
	Fragments []transcript.Fragment
	Time      time.Time // the record's Kafka time
}

// Batch is what a batch of arrivals changed.
type Batch struct {
	Changed []Changed // runs of which something new became known, or that were read back, in order of first arrival
	Rejects []Reject
}

// Changed is a run of which something may have to be stored.
type Changed struct {
	Run     transcript.Run
	Version uint64           // grows with what is known of the run; equal only for equal knowledge
	Rows    []transcript.Row // the slots that changed; none where the run was read back and nothing was new
}

// Reject says what of an arrival could not be used.
type Reject struct {
	Arrival int // its index in the batch
	dialect.Reject
}

// Assembler holds the runs that records were merged into. It is not safe for concurrent use: one goroutine owns it.
type Assembler struct {
	config Config
	loader Loader
	cache  cache
	given  []*state // handed out since the last Confirm
}

// New makes an assembler that holds nothing yet.
func New(config Config, loader Loader) (*Assembler, error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("configure assembler: %w", err)
	}
	return &Assembler{config: config, loader: loader, cache: newCache()}, nil
}

// Batch merges arrivals and gives the runs that they changed. An error means that nothing was merged. The caller stores
// what changed and then calls Confirm; when it cannot, it calls Drop and sends the arrivals again.
func (a *Assembler) Batch(ctx context.Context, arrivals []Arrival) (Batch, error) {
	var out Batch
	good := a.check(arrivals, &out)
	if err := a.load(ctx, good); err != nil {
		return Batch{}, err
	}
	touched := a.group(good)
	merged := inParallel(len(touched), func(i int) merged {
		b := batch{limits: &a.config.Limits, arrivals: arrivals, touched: touched[i]}
		return b.run()
	})
	for i, m := range merged {
		if m.err != nil {
			a.Drop()
			return Batch{}, m.err
		}
		if m.changed != nil {
			out.Changed = append(out.Changed, *m.changed)
		}
		out.Rejects = append(out.Rejects, m.rejects...)
		a.cache.resize(touched[i].state)
		a.given = append(a.given, touched[i].state)
	}
	slices.SortStableFunc(out.Rejects, func(x, y Reject) int { return x.Arrival - y.Arrival })
	return out, nil
}

// group gives the runs that fragments speak of, each with its fragments, in order of first arrival.
func (a *Assembler) group(pieces []piece) []*touched {
	var order []*touched
	known := make(map[transcript.RunID]*touched)
	for _, p := range pieces {
		t := known[p.fragment.Meta.ID]
		if t == nil {
			t = &touched{state: a.cache.touch(p.fragment.Meta.ID)}
			known[p.fragment.Meta.ID] = t
			order = append(order, t)
		}
		t.pieces = append(t.pieces, p)
	}
	return order
}

// Confirm says that everything handed out so far is stored, so that its runs may leave memory.
func (a *Assembler) Confirm() {
	for _, s := range a.given {
		s.unsure = false
		a.cache.retire(s)
	}
	clear(a.given)
	a.given = a.given[:0]
	a.cache.confirm(a.config.MaxBytes)
}

// Drop forgets every run, because storing failed or another process may own them now. They are read back when needed, so
// that memory never knows what the table does not.
func (a *Assembler) Drop() { a.cache, a.given = newCache(), nil }

// Forget lets runs go of which others have stored what is not known here; they are read back when needed.
func (a *Assembler) Forget(runs []transcript.RunID) {
	for _, id := range runs {
		a.cache.remove(id)
	}
}

// Held gives the number of runs in memory and their size in bytes.
func (a *Assembler) Held() (runs int, bytes int64) { return len(a.cache.runs), a.cache.bytes() }

// piece is a fragment that can be merged.
type piece struct {
	fragment *transcript.Fragment
	arrival  int
}

// check refuses fragments that cannot be placed at all.
func (a *Assembler) check(arrivals []Arrival, out *Batch) []piece {
	var good []piece
	for i := range arrivals {
		for j := range arrivals[i].Fragments {
			f := &arrivals[i].Fragments[j]
			if reject := a.config.Limits.refuse(f); reject != nil {
				out.Rejects = append(out.Rejects, Reject{i, *reject})
				continue
			}
			good = append(good, piece{f, i})
		}
	}
	return good
}

// load reads back the runs of a batch that are not in memory, all at once.
func (a *Assembler) load(ctx context.Context, pieces []piece) error {
	var missing []transcript.RunID
	asked := make(map[transcript.RunID]bool)
	for _, p := range pieces {
		id := p.fragment.Meta.ID
		if !asked[id] && !a.cache.has(id) {
			asked[id] = true
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	stored, err := a.loader.Load(ctx, missing)
	if err != nil {
		return fmt.Errorf("read %d runs back: %w", len(missing), err)
	}
	states := make([]*state, 0, len(missing))
	for _, id := range missing {
		s := newState(id)
		if err := s.restore(stored[id]); err != nil {
			return fmt.Errorf("read run %q back: %w", id, err)
		}
		states = append(states, s)
	}
	for _, s := range states {
		a.cache.add(s)
	}
	return nil
}
