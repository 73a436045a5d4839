package transcript

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// version makes a random version of one message: fields are there or not, and vary a little.
func version(r *rand.Rand) Known {
	text := func() string {
		return []string{"", "a", "b", "ab", "ba", "abc"}[r.IntN(6)]
	}
	at := func() time.Time {
		return []time.Time{{}, time.UnixMilli(1000).UTC(), time.UnixMilli(2000).UTC(), time.UnixMicro(2000001).UTC()}[r.IntN(4)]
	}
	code := r.IntN(3)
	k := Known{Message: Message{
		ID: "m", Role: RoleAssistant, Generation: text(), Parent: text(), Seq: int64(r.IntN(3)), Time: at(),
		Arrived: time.UnixMilli(int64(r.IntN(3))).UTC(), Provider: text(), Model: text(), Text: text(), Reasoning: text(),
		Calls: []Call{{ID: "c", Tool: "t", Arguments: text(), Unknown: r.IntN(2) == 0, Time: at()}},
		Results: []Result{{
			CallID: "c", Body: text(), Flag: []Flag{FlagUnset, FlagOK, FlagError}[r.IntN(3)],
			Fate: []Fate{FateRan, FateRefused, FateCancelled, FateRunning}[r.IntN(4)], ErrorType: text(), Variant: Variant(text()), Time: at(),
		}},
	}}
	if r.IntN(2) == 0 {
		k.Results[0].ExitCode = &code
	}
	if r.IntN(2) == 0 {
		k.Usage = &Usage{Input: int64(r.IntN(2)), CacheRead: int64(r.IntN(2)), CacheWrite: int64(r.IntN(2)), Output: int64(r.IntN(2))}
	}
	if r.IntN(3) == 0 {
		k.Results[0].BodyLength, k.Results[0].BodyHash = 4+r.IntN(2), text()
	}
	for range r.IntN(4) {
		k.After = joinAfter(k.After, []uint32{r.Uint32()})
	}
	return k
}

func TestJoinIsASemilattice(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		a, b, c := version(r), version(r), version(r)
		ab := a.Join(b)
		if ba := b.Join(a); !reflect.DeepEqual(ab, ba) {
			t.Fatalf("not commutative:\n%+v\n%+v", ab, ba)
		}
		if x, y := ab.Join(c), a.Join(b.Join(c)); !reflect.DeepEqual(x, y) {
			t.Fatalf("not associative:\n%+v\n%+v", x, y)
		}
		if aa := a.Join(a); !reflect.DeepEqual(aa, a) {
			t.Fatalf("not idempotent:\n%+v\n%+v", aa, a)
		}
	}
}

func TestWeightGrowsWithKnowledge(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 20_000 {
		a, b := version(r), version(r)
		ab := a.Join(b)
		same, grown := reflect.DeepEqual(a, ab), ab.Weight() > a.Weight()
		if a.Holds(&b) && !same || !ab.Holds(&ab) {
			t.Fatalf("holds what it does not:\n%+v\n%+v", a, b)
		}
		if same == grown || ab.Weight() < a.Weight() {
			t.Fatalf("weight %d became %d, same %v:\n%+v\n%+v", a.Weight(), ab.Weight(), same, a, ab)
		}
	}
}

func TestWeightsOfALargeRunDoNotOverflow(t *testing.T) {
	most := int64(maxUsage)
	k := Known{Message: Message{
		Seq: 1, Arrived: time.UnixMilli(1), Usage: &Usage{Input: most, CacheRead: most, CacheWrite: most, Output: most},
		Results: []Result{{BodyLength: 1 << 24}},
	}}
	w := k.Weight()
	if total := w * 100_000; total/100_000 != w {
		t.Fatalf("100,000 slots of weight %d overflow", w)
	}
}

func TestMetaJoinIsASemilattice(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	meta := func() Meta {
		yes := r.IntN(2) == 0
		m := Meta{ID: "r", Agent: []string{"", "a", "b"}[r.IntN(3)], Ended: r.IntN(2) == 0}
		if r.IntN(2) == 0 {
			m.TaskSuccess = &yes
		}
		if r.IntN(2) == 0 {
			m.Attributes = map[string]string{"k": []string{"v", "w"}[r.IntN(2)], []string{"x", "y"}[r.IntN(2)]: "z"}
		}
		if r.IntN(2) == 0 {
			m.Shadow = []Shadow{{CallID: []string{"1", "2"}[r.IntN(2)], Variant: "v", Payload: []string{"p", "q"}[r.IntN(2)]}}
		}
		return m
	}
	for range 20_000 {
		a, b, c := meta(), meta(), meta()
		ab := a.Join(b)
		if ba := b.Join(a); !reflect.DeepEqual(ab, ba) {
			t.Fatalf("not commutative:\n%+v\n%+v", ab, ba)
		}
		if x, y := ab.Join(c), a.Join(b.Join(c)); !reflect.DeepEqual(x, y) {
			t.Fatalf("not associative:\n%+v\n%+v", x, y)
		}
		if same, grown := reflect.DeepEqual(a, ab), ab.Weight() > a.Weight(); same == grown {
			t.Fatalf("weight %d became %d, same %v", a.Weight(), ab.Weight(), same)
		}
	}
}
