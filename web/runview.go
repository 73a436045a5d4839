package web

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"errata/metrics/ask"
	"errata/web/ui"
	"errata/web/view"
)

// run is the page of a run, or of those calls of a long one that the address asks for.
func (s *Server) run(q *request) (page, error) {
	wanted := wanted{page: q.params.Number("page"), call: q.params.Number("call")}
	if err := q.params.Err(); err != nil {
		return page{}, err
	}
	return q.showRun(func(v *runView) (view.RunPage, error) { return v.page(wanted) })
}

// runCall is the page of one call, whole.
func (s *Server) runCall(q *request) (page, error) {
	number, err := strconv.Atoi(q.PathValue("number"))
	if err != nil {
		return page{}, errNoPage
	}
	if err := q.params.Err(); err != nil {
		return page{}, err
	}
	return q.showRun(func(v *runView) (view.RunPage, error) { return v.alone(number) })
}

// showRun reads a run and lays it out.
func (q *request) showRun(layOut func(*runView) (view.RunPage, error)) (page, error) {
	s, id := q.s, q.PathValue("id")
	a := s.begin(q.Context())
	health := put(a, "health", s.cfg.Questions.Health)
	run := put(a, "run", func(ctx context.Context) (ask.Answer[ask.Run], error) {
		return s.cfg.Questions.Run(ctx, id, q.filters.AsOf)
	})
	if err := a.wait(); err != nil {
		return page{}, err
	}
	if run.err != nil {
		return page{}, run.err
	}
	if len(run.Rows) != 1 {
		return page{}, errNoPage
	}
	r := run.Rows[0]
	simulated := &reply[ask.Simulated]{}
	if r.Attributes["simulated"] == "true" {
		simulated.Rows = []ask.Simulated{{Simulated: 1}}
	}
	p := page{frame: q.framed(a, framing{health: health, simulated: simulated})}
	p.frame.Title, p.frame.Question = "Run "+short(id), "What happened here?"
	p.frame.Keys = []ui.Key{{Keys: "n", Does: "next failed call"}, {Keys: "p", Does: "failed call before"}, {Keys: "j", Does: "next call"}, {Keys: "k", Does: "call before"}}
	p.frame.Formats = q.formats()
	v := newRunView(r)
	v.address, v.asOf = s.cfg.Base+"/runs/"+segment(id), q.URL.Query().Get("as_of")
	laidOut, err := layOut(v)
	if err != nil {
		return page{}, err
	}
	p.body = view.Run(laidOut)
	return p, nil
}

// runView lays out one run. Calls are numbered through the whole run.
type runView struct {
	run      ask.Run
	numbers  map[ask.Place]int
	calls    map[ask.Place]*ask.Call
	episodes map[ask.Place]spot // where a call stands in its episode

	address string      // of the run
	asOf    string      // that the run is shown as of
	pages   [][]part    // the parts of a long run, page by page
	at      int         // the page at hand, from 0
	pageOf  map[int]int // the page of a call by its number
	room    int         // bytes that may still open on demand
	whole   bool        // a call stands alone
}

// spot is the place of a call in an episode.
type spot struct{ episode, at int }

func newRunView(r ask.Run) *runView {
	v := &runView{run: r, numbers: map[ask.Place]int{}, calls: map[ask.Place]*ask.Call{}, episodes: map[ask.Place]spot{}}
	for _, t := range r.Threads {
		for i := range t.Turns {
			for j := range t.Turns[i].Calls {
				c := &t.Turns[i].Calls[j]
				at := ask.Place{Thread: t.ID, Turn: t.Turns[i].Number, Index: c.Index}
				v.numbers[at], v.calls[at] = len(v.numbers)+1, c
			}
		}
	}
	for e, episode := range r.Episodes {
		for i, at := range v.members(episode) {
			if _, taken := v.episodes[at]; !taken {
				v.episodes[at] = spot{e, i}
			}
		}
	}
	return v
}

// members are the calls of an episode in order, its first error included.
func (v *runView) members(e ask.Episode) []ask.Place {
	all := e.Calls
	if !slices.Contains(all, e.First) {
		all = append([]ask.Place{e.First}, all...)
	}
	return all
}

func anchor(number int) string { return "c" + strconv.Itoa(number) }

func (v *runView) link(at ask.Place) ui.Link {
	n, ok := v.numbers[at]
	if !ok {
		return ui.Link{}
	}
	return ui.Link{Label: "call " + strconv.Itoa(n), Href: v.callAddress(n)}
}

// places are all calls in order.
func (v *runView) places() []ask.Place {
	all := slices.Collect(maps.Keys(v.numbers))
	slices.SortFunc(all, func(x, y ask.Place) int { return v.numbers[x] - v.numbers[y] })
	return all
}

func (v *runView) facts() []view.Fact {
	r := v.run
	ended := "still running"
	if r.Ended {
		ended = "yes"
		if r.EndReason != nil {
			ended = strings.ReplaceAll(ui.Visible(*r.EndReason), "_", " ")
		}
	}
	success := ui.Unknown
	if r.TaskSuccess != nil {
		success = map[bool]string{true: "yes", false: "no"}[*r.TaskSuccess]
	}
	facts := []view.Fact{
		{Label: "Run", Value: ui.Visible(r.RunID)},
		{Label: "Agent", Value: ui.Text(r.Agent)}, {Label: "Agent version", Value: ui.Text(r.AgentVersion)}, {Label: "Model", Value: ui.Text(r.Model)},
		{Label: "Payload variant", Value: ui.Text(r.Variant)}, {Label: "Started", Value: ui.Moment(r.StartedAt)}, {Label: "Last activity", Value: ui.Moment(r.LastActivity)},
		{Label: "Ended", Value: ended}, {Label: "Task solved", Value: success},
		{Label: "Tokens", Value: ui.Count(r.Usage.Total)}, {Label: "Money", Value: ui.Money(r.USD)}, {Label: "Calls", Value: ui.Count(int64(len(v.numbers)))},
		{Label: "Format", Value: ui.Visible(r.Format)},
	}
	if text := unpriced(r.Unpriced); text != "" {
		facts = append(facts, view.Fact{Label: "Models", Value: text})
	}
	for _, name := range slices.Sorted(maps.Keys(r.Attributes)) {
		facts = append(facts, view.Fact{Label: ui.Visible(name), Value: short(r.Attributes[name])})
	}
	return facts
}

// mostMarks is how many calls a strip draws.
const mostMarks = 1000

func (v *runView) strip(places []ask.Place, most int) *ui.Strip {
	if len(places) == 0 {
		return nil
	}
	s := &ui.Strip{Label: ui.Plural(int64(len(places)), "call", "calls") + " in order"}
	for i, at := range places[:min(len(places), most)] {
		c := v.calls[at]
		if c == nil {
			continue
		}
		s.Marks = append(s.Marks, ui.Mark{X: strconv.Itoa(i * ui.MarkWidth), Kind: callClass(c), Href: v.callAddress(v.numbers[at]),
			Title: "call " + strconv.Itoa(v.numbers[at]) + ", " + short(c.Tool) + ": " + outcome(c)})
	}
	s.Width = strconv.Itoa(min(len(places), most) * ui.MarkWidth)
	if len(places) > most {
		s.More = "and " + ui.Count(int64(len(places)-most)) + " more"
	}
	return s
}

func outcome(c *ask.Call) string {
	if c.Outcome == nil {
		return "not the agent's"
	}
	return *c.Outcome
}

// callClass is how a call is drawn.
func callClass(c *ask.Call) string {
	switch o := outcome(c); o {
	case "ok", "error":
		return o
	}
	return "other"
}

// Bounds of the list of a run's episodes: how many are shown at once, and how many with those that open on demand.
const (
	firstEpisodes = 20
	mostEpisodes  = 200
)

func (v *runView) episodeTable() view.Section {
	s := view.Section{Panel: ui.Panel{ID: "episodes", Title: "Episodes", Definition: define("episodes") + " Those that never recovered come first."}}
	if len(v.run.Episodes) == 0 {
		s.Empty = &ui.Empty{Message: "No call of this run failed."}
		return s
	}
	order := v.episodeOrder()
	table := func(id, caption string, of []int) ui.Table {
		t := ui.Table{ID: id, Caption: caption, Columns: []ui.Column{
			{Label: "Episode"}, {Label: "Tool and code"}, {Label: "End"}, {Label: "Attempts", Numeric: true}, {Label: "Turns", Numeric: true},
			{Label: "Time", Numeric: true}, {Label: "Recovery tokens", Numeric: true}, {Label: "Calls"}, {Label: "What was learnt"},
		}}
		for _, i := range of {
			t.Rows = append(t.Rows, v.episodeRow(i))
		}
		return t
	}
	first := min(len(order), firstEpisodes)
	s.Tables = []ui.Table{table("episode-table", ui.Plural(int64(len(order)), "episode", "episodes"), order[:first])}
	if rest := order[first:min(len(order), mostEpisodes)]; len(rest) > 0 {
		more := table("more-episodes", ui.Count(int64(len(rest)))+" more episodes", rest)
		if len(order) > mostEpisodes {
			more.Note = "The first " + ui.Count(mostEpisodes) + " of " + ui.Count(int64(len(order))) + "; the data hold all."
		}
		s.Folded = &view.Folded{Summary: "Show " + ui.Plural(int64(len(rest)), "more episode", "more episodes"), Table: more}
	}
	return s
}

// episodeOrder are the run's episodes, those first that did not recover.
func (v *runView) episodeOrder() []int {
	order := make([]int, len(v.run.Episodes))
	for i := range order {
		order[i] = i
	}
	recovered := func(i int) int {
		if ending := v.run.Episodes[i].Ending; ending == "abandoned" || ending == "open" {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(order, func(x, y int) int { return recovered(x) - recovered(y) })
	return order
}

func (v *runView) episodeRow(i int) ui.Row {
	e := v.run.Episodes[i]
	turns := ui.Unknown
	if e.Turns != nil {
		turns = ui.Count(int64(*e.Turns))
	}
	end := endingWords[e.Ending]
	if e.Reason != nil {
		end += ": " + strings.ReplaceAll(*e.Reason, "_", " ")
	}
	return ui.Row{Cells: []ui.Cell{
		{Text: fmt.Sprintf("Episode %d", i+1), Href: v.link(e.First).Href}, {Text: short(e.Tool), Sub: short(e.Code), Mono: true}, {Text: end},
		{Text: ui.Count(int64(e.Attempts))}, {Text: turns}, {Text: ui.Duration(e.Seconds)}, {Text: ui.Count(e.Usage.Total)},
		{Strip: v.strip(v.members(e), 40)}, {Text: learnt(e)},
	}}
}

// learnt says what helped, and which names were put right.
func learnt(e ask.Episode) string {
	var parts []string
	for _, p := range e.Pairs {
		parts = append(parts, short(p.Rejected)+" → "+short(p.Accepted)+" ("+p.Kind+")")
	}
	for _, h := range e.Helpers {
		text := "asked " + short(h.Tool)
		if h.ValueFromIt {
			text += ", which gave the value"
		}
		parts = append(parts, text)
	}
	const most = 5
	if len(parts) > most {
		parts = append(parts[:most], "…")
	}
	return strings.Join(parts, "; ")
}
