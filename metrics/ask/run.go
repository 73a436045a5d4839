package ask

import (
	"context"
	"errors"
	"fmt"
	"time"

	"errata/metrics"
	"errata/transcript"
)

// Run is a whole run: what was said, and what was mined from it.
type Run struct {
	RunID        string            `json:"run_id"`
	Format       string            `json:"format"`
	Agent        *string           `json:"agent"`
	AgentVersion *string           `json:"agent_version"`
	Provider     *string           `json:"provider"`
	Model        *string           `json:"model"`
	Variant      *string           `json:"variant"`
	Attributes   map[string]string `json:"attributes"`
	StartedAt    time.Time         `json:"started_at"`
	LastActivity time.Time         `json:"last_activity"`
	Timed        bool              `json:"timed"`
	Ended        bool              `json:"ended"`
	EndReason    *string           `json:"end_reason"`
	TaskSuccess  *bool             `json:"task_success"`
	Usage        Usage             `json:"usage"`
	USD          *float64          `json:"usd"`
	Unpriced     []string          `json:"unpriced"`
	LeakedCalls  int               `json:"leaked_calls"`
	Threads      []Thread          `json:"threads"`
	Episodes     []Episode         `json:"episodes"`
}

// Usage is a number of tokens by kind.
type Usage struct {
	Input      int64 `json:"input_tokens"`
	CacheRead  int64 `json:"cache_read_tokens"`
	CacheWrite int64 `json:"cache_write_tokens"`
	Output     int64 `json:"output_tokens"`
	Total      int64 `json:"tokens"`
}

// Thread is one line of conversation.
type Thread struct {
	ID         string              `json:"id"`
	ParentCall *string             `json:"parent_call"`
	Ended      bool                `json:"ended"`
	Messages   []Message           `json:"messages"`
	Turns      []Turn              `json:"turns"`
	Orphans    []transcript.Result `json:"orphans"` // results whose call is not known
}

// Message is one message, without the calls and results that its turns show.
type Message struct {
	ID        string     `json:"id"`
	Role      string     `json:"role"`
	Time      *time.Time `json:"time"`
	Text      string     `json:"text"`
	Reasoning string     `json:"reasoning"`
	Turn      int        `json:"turn"` // the turn that it is of; 0: of none
}

// Turn is one model generation with its calls.
type Turn struct {
	Number     int       `json:"number"`
	Follows    int       `json:"follows"`
	Time       time.Time `json:"time"`
	Model      string    `json:"model"`
	Usage      *Usage    `json:"usage"`
	UserBefore bool      `json:"user_before"`
	UserAfter  bool      `json:"user_after"`
	Calls      []Call    `json:"calls"`
}

// Call is one tool call with its result. Calls of a user's own tools have no outcome.
type Call struct {
	Index     int                `json:"index"`
	ID        string             `json:"id"`
	Tool      string             `json:"tool"`
	Arguments string             `json:"arguments"`
	Actor     string             `json:"actor"`
	Asked     time.Time          `json:"asked_at"`
	Time      time.Time          `json:"time"`
	Result    *transcript.Result `json:"result"`
	Outcome   *string            `json:"outcome"`
	Rule      *string            `json:"error_rule"`
	Malformed bool               `json:"malformed"`
	Error     *CallError         `json:"error"`
}

// CallError is what there is to say of an errored call.
type CallError struct {
	Code       string                 `json:"code"` // folded, as figures are grouped
	RawCode    string                 `json:"raw_code"`
	Template   string                 `json:"template"`
	Object     transcript.ErrorObject `json:"object"`
	BodyTokens int64                  `json:"body_tokens"`
	Label      *string                `json:"label"` // null: not known yet
	Sanctioned bool                   `json:"sanctioned"`
	Obeyed     *bool                  `json:"obeyed"`
	Honoured   *bool                  `json:"honoured"`
	Chain      int                    `json:"chain"`
	Findings   []string               `json:"findings"`
}

// Place is the place of a call in its run.
type Place struct {
	Thread string `json:"thread"`
	Turn   int    `json:"turn"`
	Index  int    `json:"index"`
}

// Episode is the stretch from a first error to its recovery or its end.
type Episode struct {
	First    Place    `json:"first"`
	Last     Place    `json:"last"`
	Calls    []Place  `json:"calls"`
	Tool     string   `json:"tool"`
	Code     string   `json:"code"`
	Ending   string   `json:"ending"`
	Reason   *string  `json:"reason"`
	Attempts int      `json:"attempts"`
	Turns    *int     `json:"turns"` // null unless it recovered
	Seconds  *float64 `json:"seconds"`
	Serial   int      `json:"serial_faults"`
	Changed  int      `json:"collateral_changed"`
	Rejected int      `json:"collateral_rejected"`
	Helpers  []Helper `json:"helpers"`
	Usage    Usage    `json:"recovery_usage"`
	Pairs    []Pair   `json:"pairs"`
}

// Helper is a tool that was used with success inside an episode.
type Helper struct {
	Tool         string `json:"tool"`
	Calls        int    `json:"calls"`
	Tokens       int64  `json:"tokens"`
	ValueFromIt  bool   `json:"value_from_helper"`
	NamedByError bool   `json:"named_by_error"`
}

// Pair is a rejected name with the accepted one that followed.
type Pair struct {
	Level    string `json:"level"`
	Field    string `json:"field"`
	Rejected string `json:"rejected"`
	Accepted string `json:"accepted"`
	Kind     string `json:"kind"`
	Inferred bool   `json:"inferred"`
}

// runMessage is a row of run.sql.
type runMessage struct {
	Thread   string    `ch:"thread_id"`
	Kind     string    `ch:"kind"`
	Slot     string    `ch:"slot"`
	Version  uint64    `ch:"version"`
	Position int32     `ch:"position"`
	Content  string    `ch:"content"`
	Arrived  time.Time `ch:"arrived"`
}

// Run reads one run's stored transcript and mines it. asOf is zero for now.
func (db *DB) Run(ctx context.Context, id string, asOf time.Time) (Answer[Run], error) {
	if id == "" {
		return Answer[Run]{}, invalid("id", "id is missing; give the id of a run")
	}
	f := Filters{All: true, AsOf: asOf}
	if err := f.check(); err != nil {
		return Answer[Run]{}, err
	}
	f = f.settle(span{}, db.settings.Now())
	p := parameters{}
	p.text("run", id)
	stored, q, err := db.printOf(ctx, p)
	if err != nil {
		return Answer[Run]{}, err
	}
	q.Name = "run.sql"
	if db.settings.Mine == nil {
		return Answer[Run]{}, errors.New("nothing mines runs; set Settings.Mine")
	}
	mined, ok := db.mined.find(id, stored)
	if !ok {
		if mined, q, err = db.mineRun(ctx, id, p); err != nil {
			return Answer[Run]{}, err
		}
		mined.print = stored // what came since then is read at the next look
		db.mined.keep(mined)
	}
	a := answer[Run](f, q)
	a.Rows = append(a.Rows, view(mined.run, mined.facts, settlement{db.settings, f.AsOf, mined.facts.Run}))
	return a, nil
}

// mineRun reads a run and mines it.
func (db *DB) mineRun(ctx context.Context, id string, p parameters) (minedRun, Query, error) {
	rows, q, err := read[runMessage](ctx, db, "run.sql", p)
	if err != nil {
		return minedRun{}, q, err
	}
	if len(rows) == 0 {
		return minedRun{}, q, &Error{Code: CodeNotFound, Field: "id", Message: fmt.Sprintf("there is no run %.200q", id)}
	}
	run, err := transcript.FromRows(knownRows(id, rows))
	if err != nil {
		return minedRun{}, q, fmt.Errorf("put the stored run %.200q together: %w", id, err)
	}
	m := minedRun{id: id, run: run}
	for _, r := range rows {
		m.size += len(r.Content)
	}
	facts, known := db.mineWithStoredTokens(ctx, run, m.size, p)
	if !known {
		facts = db.settings.Mine(run)
	}
	m.facts = facts
	return m, q, nil
}

func knownRows(id string, rows []runMessage) []transcript.Row {
	known := make([]transcript.Row, len(rows))
	for i, r := range rows {
		known[i] = transcript.Row{
			Run: transcript.RunID(id), Thread: transcript.ThreadID(r.Thread), Kind: transcript.RowKind(r.Kind), Slot: r.Slot,
			Version: r.Version, Position: int(r.Position), Content: []byte(r.Content), Arrived: r.Arrived,
		}
	}
	return known
}

func usageOf(u transcript.Usage) Usage {
	return Usage{Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output, Total: u.Total()}
}

func placeOf(r metrics.Ref) Place {
	return Place{Thread: string(r.Thread), Turn: r.Turn, Index: r.Index}
}
