package simulate

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// start is all that is settled of a run before it is planned.
type start struct {
	index    int
	at       time.Time
	heat     float64 // the day's factor
	variant  string
	straddle string // the variant that the second half sees, "" for one
	open     bool
}

// plan tells the run that starts so.
func plan(cfg *Config, from start) *script {
	p, s := newScript(cfg, from)
	s.user(fmt.Sprintf(pick(p.rng, asks), pick(p.rng, goods)))
	n := 1 + p.rng.IntN(int(2*cfg.ScenesPerRun))
	for i := 0; i < n && !p.done; i++ {
		if from.straddle != "" && i == (n+1)/2 {
			p.see(from.straddle)
		}
		s.scene()
	}
	if !p.done {
		s.finale()
	}
	p.close()
	return p
}

// newScript is an empty plan with the thread of the agent.
func newScript(cfg *Config, from start) (*script, *stage) {
	rng := rand.New(rand.NewPCG(cfg.Seed, uint64(from.index)+1))
	p := &script{cfg: cfg, rng: rng, heat: from.heat, seen: map[string]bool{}, base: 1000 + rng.IntN(90000)}
	p.model = drawModel(cfg, rng)
	p.see(from.variant)
	p.marked = from.straddle != ""
	p.truth = Truth{RunID: fmt.Sprintf("sim-%d-%05d", cfg.Seed, from.index), Agent: pick(rng, cfg.Agents), Model: p.model.Name,
		Provider: p.model.Form, Variant: from.variant, Started: from.at, Open: from.open}
	return p, p.openStage("", "", from.at)
}

// see sets the variant that results come in from now on.
func (p *script) see(variant string) { p.variant, p.ways = variant, p.cfg.Ways[variant] }

// drawModel draws a model by its weight.
func drawModel(cfg *Config, rng *rand.Rand) *Model {
	sum := 0.0
	for i := range cfg.Models {
		sum += cfg.Models[i].Weight
	}
	at := rng.Float64() * sum
	for i := range cfg.Models {
		if at -= cfg.Models[i].Weight; at < 0 {
			return &cfg.Models[i]
		}
	}
	return &cfg.Models[len(cfg.Models)-1]
}

// scene plays one scene, of the kinds in which nothing fails or of the others.
func (s *stage) scene() {
	if s.chance(min(0.95, s.ways.Faulty*s.heat)) {
		s.trouble()
		return
	}
	switch at := s.rng.Float64(); {
	case at < s.cfg.Delegates:
		s.played("delegate")
		s.delegate()
	case at < s.cfg.Delegates+0.02:
		s.played("refusal")
		s.refusal()
	case at < s.cfg.Delegates+0.05:
		s.played("poll")
		s.poll()
	case at < s.cfg.Delegates+0.07:
		s.played("idle")
		s.idle()
	default:
		s.played("plain")
		s.plain()
	}
}

// trouble plays a scene in which a call fails, or none where none is possible.
func (s *stage) trouble() {
	names := make([]string, len(failingScenes))
	for i := range failingScenes {
		names[i] = failingScenes[i].name
	}
	name := s.drawKey(s.ways.Scenes, names)
	for i := range failingScenes {
		if failingScenes[i].name == name && failingScenes[i].play(s) {
			s.played(name)
		}
	}
}

// played notes the name of a scene.
func (p *script) played(name string) { p.truth.Scenes = append(p.truth.Scenes, name) }

// finale ends a run that no scene has ended: in words, or in the middle of a
// call that a person interrupted, or not at all while it is still open.
func (s *stage) finale() {
	switch {
	case s.truth.Open:
		s.unfinished()
	case s.chance(s.cfg.Interrupted):
		s.played("interrupted")
		s.pending()
		s.truth.EndReason = "cancelled"
	default:
		s.say(pick(s.rng, dones))
		s.truth.EndReason = "completed"
	}
}

// pending makes a call whose result never comes.
func (s *stage) pending() {
	a := s.works("track_shipment", s.argsOf("track_shipment"))
	a.call.outcome, a.call.body = Pending, ""
	s.play("", a)
}

// unfinished is the end of what is known of a run that goes on: an error that
// nothing has followed, a call without its result, or neither.
func (s *stage) unfinished() {
	switch s.rng.IntN(3) {
	case 0:
		if c := s.choice(func(*choice) bool { return true }); c != nil {
			s.played("open_error")
			sl := s.slip(c)
			s.begin(c.tool, sl.send(0), s.slipFault(sl, 0))
		}
	case 1:
		s.played("open_call")
		s.pending()
	}
}
