package simulate

import (
	"errors"
	"fmt"
	"time"
)

// The forms of messages that a run can be written in.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
	Gemini    = "gemini"
)

// Model is one model that runs are made with.
type Model struct {
	// Name is the model's name as transcripts carry it.
	Name string
	// Form is the form of its messages, and the provider of its runs.
	Form string
	// Weight is its share of the runs, beside the weights of the others.
	Weight float64
	// CacheBlock is the grain of its prompt cache in tokens; 0 for no cache.
	CacheBlock int
	// CacheWrites says that what enters the cache is counted on its own.
	CacheWrites bool
	// Thinks says that its output holds reasoning.
	Thinks bool
}

// Behaviour is what models do under one payload variant. All numbers but the
// weights are probabilities.
type Behaviour struct {
	// Faulty is the chance that a scene is one in which a call fails.
	Faulty float64
	// Repeat is the chance that the identical call follows an error.
	Repeat float64
	// RepeatMore is the chance that another identical call follows a repeat.
	RepeatMore float64
	// Guess is the chance that another wrong value follows a wrong one.
	Guess float64
	// Look is the chance that the agent looks a value up before it tries again.
	Look float64
	// AskUser is the chance that a person helps.
	AskUser float64
	// GiveUp is the chance that the agent gives an error up that it could repair.
	GiveUp float64
	// Batched is the chance that several faulty arguments are told at once.
	Batched float64
	// DidYouMean is the chance that an error names the right value.
	DidYouMean float64
	// HonourRetryAfter is the chance that a named time to wait is kept.
	HonourRetryAfter float64
	// Success is the chance that a run without an abandoned error reaches its
	// task's goal; one with such an error has SuccessAfter.
	Success, SuccessAfter float64
	// Scenes are the weights of the scenes in which a call fails, by name.
	Scenes map[string]float64
	// Reasons are the weights of the ways in which an error is abandoned.
	Reasons map[string]float64
}

// Config says what is generated. The same Config gives the same bytes.
type Config struct {
	// Seed chooses among the many sets of runs that fit the rest.
	Seed uint64
	// Start is the first moment at which a run can start.
	Start time.Time
	// Days is how many days of runs there are, each 24 hours from Start on.
	Days int
	// RunsPerDay is the number of runs on a working day.
	RunsPerDay int
	// Weekend is the share of RunsPerDay that a Saturday or a Sunday has.
	Weekend float64
	// Variation is how much the rates differ from day to day: the standard
	// deviation of their logarithm.
	Variation float64
	// Agents are the names of the agents; each run has one.
	Agents []string
	// AgentVersion is the version of the agents.
	AgentVersion string
	// Models are the models that runs are made with.
	Models []Model
	// Before and After are the payload variants before and after the cutover.
	Before, After string
	// Cutover is the share of the days after which the tools change.
	Cutover float64
	// Fraction is the share of the runs after the cutover that see After.
	Fraction float64
	// Straddle is how long before the cutover a run must have started to see
	// both variants; 0 for no such runs.
	Straddle time.Duration
	// Ways is what models do, by variant.
	Ways map[string]Behaviour
	// ScenesPerRun is the mean number of scenes of a run.
	ScenesPerRun float64
	// Delegates is the chance that a run uses a sub-agent.
	Delegates float64
	// Interrupted is the chance that a run is cancelled during a call.
	Interrupted float64
	// SuccessKnown is the share of the runs whose record carries task success.
	SuccessKnown float64
	// Shadow is the share of the errors of the variant before that carry the
	// structured payload as a shadow.
	Shadow float64
	// OpenRuns is how many runs are still under way at the end, the newest.
	OpenRuns int
	// Attributes are written into every record.
	Attributes map[string]string
}

// Default is a support agent whose tools answer with bare error strings in the
// first half of two weeks and with structured errors in the second.
func Default() Config {
	return Config{
		Seed:         1,
		Start:        time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC),
		Days:         14,
		RunsPerDay:   250,
		Weekend:      0.5,
		Variation:    0.3,
		Agents:       []string{"support-bot", "returns-bot"},
		AgentVersion: "1.4.2",
		Models: []Model{
			{Name: "gpt-4o", Form: OpenAI, Weight: 4, CacheBlock: 128},
			{Name: "claude-sonnet-4-5", Form: Anthropic, Weight: 4, CacheBlock: 1, CacheWrites: true},
			{Name: "gemini-2.5-flash", Form: Gemini, Weight: 2, CacheBlock: 256, Thinks: true},
		},
		Before:       BareV1,
		After:        StructuredV2,
		Cutover:      0.5,
		Fraction:     1,
		Straddle:     20 * time.Minute,
		Ways:         map[string]Behaviour{BareV1: bareWays(), StructuredV2: structuredWays()},
		ScenesPerRun: 4.5,
		Delegates:    0.05,
		Interrupted:  0.01,
		SuccessKnown: 0.9,
		Shadow:       0.2,
		OpenRuns:     6,
		Attributes:   map[string]string{"simulated": "true"},
	}
}

// bareWays: an error that says little is met with the same call again.
func bareWays() Behaviour {
	return Behaviour{
		Faulty: 0.3, Repeat: 0.15, RepeatMore: 0.58, Guess: 0.4, Look: 0.35, AskUser: 0.05, GiveUp: 0.11,
		HonourRetryAfter: 0.2, Success: 0.9, SuccessAfter: 0.35,
		Scenes:  scenes(map[string]float64{scenePermanent: 9}),
		Reasons: map[string]float64{HandedToUser: 5, MovedOn: 4, UserLeft: 2, TurnLimit: 3, CutOff: 1, Stopped: 1},
	}
}

// structuredWays: an error that says what to change is repaired sooner.
func structuredWays() Behaviour {
	return Behaviour{
		Faulty: 0.27, Repeat: 0.03, RepeatMore: 0.3, Guess: 0.12, Look: 0.15, AskUser: 0.03, GiveUp: 0.035,
		Batched: 0.85, DidYouMean: 0.8, HonourRetryAfter: 0.8, Success: 0.92, SuccessAfter: 0.4,
		Scenes:  scenes(map[string]float64{scenePermanent: 5}),
		Reasons: map[string]float64{HandedToUser: 8, MovedOn: 4, UserLeft: 1, TurnLimit: 1, CutOff: 1, Stopped: 1},
	}
}

// scenes are the usual weights of the scenes, some of them replaced.
func scenes(other map[string]float64) map[string]float64 {
	w := map[string]float64{sceneValue: 40, sceneSerial: 9, sceneRename: 8, sceneMisnomer: 6, sceneTransient: 6,
		scenePermanent: 4, sceneTwins: 5, scenePair: 4, sceneSibling: 2, sceneConflict: 4, sceneIdentity: 4,
		sceneEmail: 3, sceneCycle: 1}
	for name, weight := range other {
		w[name] = weight
	}
	return w
}

// Check says what is wrong with the configuration, and how to mend it.
func (c *Config) Check() error {
	switch {
	case c.Days < 1 || c.RunsPerDay < 0:
		return fmt.Errorf("simulate %d days of %d runs: give at least one day and no negative number", c.Days, c.RunsPerDay)
	case c.ScenesPerRun < 1:
		return fmt.Errorf("simulate %v scenes a run: give at least 1", c.ScenesPerRun)
	case len(c.Models) == 0 || len(c.Agents) == 0:
		return errors.New("simulate without models or agents: give at least one of each")
	}
	for _, v := range []string{c.Before, c.After} {
		if v != BareV1 && v != StructuredV2 {
			return fmt.Errorf("simulate variant %q: use %q or %q, whose payloads are known", v, BareV1, StructuredV2)
		}
		if _, ok := c.Ways[v]; !ok {
			return fmt.Errorf("simulate variant %q: Ways does not say what models do with it", v)
		}
	}
	for _, m := range c.Models {
		if m.Form != OpenAI && m.Form != Anthropic && m.Form != Gemini {
			return fmt.Errorf("simulate model %q: form %q is none of %q, %q, %q", m.Name, m.Form, OpenAI, Anthropic, Gemini)
		}
	}
	return nil
}

// End is the moment at which the runs of the configuration end.
func (c *Config) End() time.Time { return c.Start.Add(time.Duration(c.Days) * 24 * time.Hour) }

// CutoverAt is the moment at which the tools change.
func (c *Config) CutoverAt() time.Time {
	return c.Start.Add(time.Duration(c.Cutover * float64(c.Days) * 24 * float64(time.Hour))).Truncate(time.Second)
}
