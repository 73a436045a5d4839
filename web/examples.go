package web

import (
	"context"
	"strconv"
	"strings"

	"errata/metrics/ask"
	"errata/web/ui"
	"errata/web/view"
)

// mostExamples is how many payloads a page shows, each of another template, tool or shape.
const mostExamples = 3

// example is one call that failed with a code, and where it stands in its run.
type example struct {
	kind   ask.ErrorKind
	number int // of the call in its run
	call   ask.Call
}

// examples reads the newest run of the most frequent kinds. A kind whose call is not found is left out: the run may have
// grown since.
func (q *request) examples(ctx context.Context, kinds []ask.ErrorKind) (ask.Answer[example], error) {
	var a ask.Answer[example]
	for _, kind := range kinds[:min(len(kinds), mostExamples)] {
		run, err := q.s.cfg.Questions.Run(ctx, kind.ExampleRun, q.filters.AsOf)
		if err != nil {
			return a, err
		}
		a.Query = run.Query
		for _, r := range run.Rows {
			if e, ok := exampleIn(r, kind); ok {
				a.Rows = append(a.Rows, e)
			}
		}
	}
	return a, nil
}

// exampleIn finds the first call of a kind of error.
func exampleIn(r ask.Run, kind ask.ErrorKind) (example, bool) {
	number := 0
	for _, t := range r.Threads {
		for _, turn := range t.Turns {
			for _, c := range turn.Calls {
				number++
				if c.Error != nil && c.Error.Code == kind.Code && c.Error.Template == kind.Template && c.Tool == kind.Tool {
					return example{kind, number, c}, true
				}
			}
		}
	}
	return example{}, false
}

// callAddress is where one call of a run is shown, on whichever page of the run that is.
func (q *request) callAddress(run string, number int) string {
	mark := "?"
	to := q.runAddress(run)
	if strings.Contains(to, "?") {
		mark = "&"
	}
	return to + mark + "call=" + strconv.Itoa(number) + "#" + anchor(number)
}

// examplePart shows payloads as the models read them.
func (q *request) examplePart(a *asking, got codeAnswers) view.Examples {
	err := got.examples.err
	p := view.Examples{Section: q.sectioned(a, err, ui.Panel{ID: "examples", Title: "What do agents read?",
		Definition: "One payload of each of the most frequent kinds, from its newest run, as it was sent. Nothing in it is carried out or shown as markup."})}
	if err != nil {
		return p
	}
	if len(got.examples.Rows) == 0 {
		p.Empty = q.nothing("errors of this code")
		return p
	}
	for i, e := range got.examples.Rows {
		p.Payloads = append(p.Payloads, q.payload(e, "example-"+strconv.Itoa(i+1)))
	}
	return p
}

func (q *request) payload(e example, id string) view.Payload {
	p := view.Payload{
		ID: id, Tool: ui.Visible(e.call.Tool), Arguments: textOf(orElse(e.call.Arguments, "(none)")), Facts: errorFacts(&e.call),
		Run:   ui.Link{Label: "call " + strconv.Itoa(e.number) + " of " + ui.Visible(e.kind.ExampleRun), Href: q.callAddress(e.kind.ExampleRun, e.number)},
		Count: ui.Plural(e.kind.Count, "error", "errors") + " like it in " + ui.Plural(e.kind.Runs, "run", "runs"),
	}
	if e.call.Result != nil {
		p.Body = textOf(e.call.Result.Body)
	}
	return p
}
