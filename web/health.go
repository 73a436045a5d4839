package web

import (
	"time"

	"errata/metrics/ask"
	"errata/web/ui"
	"errata/web/view"
)

func (s *Server) health(q *request) (page, error) {
	if err := q.params.Err(); err != nil {
		return page{}, err
	}
	a := s.begin(q.Context())
	frame := q.frameQuestions(a)
	if err := a.wait(); err != nil {
		return page{}, err
	}
	p := page{status: a.status(), frame: q.framed(a, frame)}
	if frame.health.err != nil {
		p.status = 503
	}
	p.frame.Title, p.frame.Question = "Data health", "How far has ingest come, and what could not be used?"
	v := view.HealthPage{Total: q.sectioned(a, frame.health.err, ui.Panel{ID: "total", Title: "How far has ingest come?", Links: q.healthData()})}
	if frame.health.ok() && len(frame.health.Rows) == 1 {
		h := frame.health.Rows[0]
		v.Total.Figures = healthFigures(h)
		v.Parts = partitions(h)
		v.Rejects = rejects(q, h)
	} else {
		v.Parts = q.sectioned(a, frame.health.err, ui.Panel{ID: "partitions", Title: "By partition"})
		v.Rejects = q.sectioned(a, frame.health.err, ui.Panel{ID: "rejects", Title: "What could not be used?"})
	}
	p.body = view.Health(v)
	return p, nil
}

// healthData is how ingest stands as data; no filter bears on it.
func (q *request) healthData() []ui.Link {
	return []ui.Link{{Label: "CSV", Href: q.apiAddress("health.csv")}, {Label: "JSON", Href: q.apiAddress("health")}, {Label: "SQL", Href: q.apiAddress("sql/health.sql")}}
}

func healthFigures(h ask.Health) []ui.Figure {
	reported := "no ingester has reported"
	if h.AsOf != nil {
		reported = "reported " + ui.Moment(*h.AsOf)
	}
	newest, on := ui.Unknown, ""
	if h.Newest != nil {
		newest, on = h.Newest.UTC().Format("15:04:05"), h.Newest.UTC().Format(time.DateOnly)+" UTC"
	}
	return []ui.Figure{
		{Label: "Records behind", Value: ui.CountOf(h.Lag), Basis: reported, Definition: "Records on the topic that are not stored yet."},
		{Label: "Records read", Value: ui.Count(h.Records), Basis: ui.Count(h.Stored) + " stored", Definition: "Records of the topic that an ingester has read, and those of them that it could use and stored."},
		{Label: "Rejected", Value: ui.Count(h.Rejected), Basis: ui.Percent(ratio(float64(h.Rejected), float64(h.Records))) + " of those read",
			Definition: "Records that could not be used, wholly or in part. They are kept on a topic of their own with the reason."},
		{Label: "Runs", Value: ui.Count(h.Runs), Basis: ui.Plural(h.Calls, "call", "calls"), Definition: "All that is stored, of all time."},
		{Label: "Newest call", Value: newest, Basis: on, Definition: "When the newest stored call had its result. Windows that look back end here."},
	}
}

func partitions(h ask.Health) view.Section {
	s := view.Section{Panel: ui.Panel{ID: "partitions", Title: "By partition"}}
	if len(h.Parts) == 0 {
		s.Empty = &ui.Empty{Message: "No ingester has reported yet. Start one with: ingest run"}
		return s
	}
	t := ui.Table{ID: "partition-table", Caption: "Partitions of the topic", Columns: []ui.Column{
		{Label: "Topic"}, {Label: "Partition", Numeric: true}, {Label: "Group"}, {Label: "Next offset", Numeric: true},
		{Label: "End", Numeric: true}, {Label: "Behind", Numeric: true}, {Label: "Rejected", Numeric: true}, {Label: "Reported (UTC)"},
	}}
	for _, p := range h.Parts {
		reported := ui.Unknown
		if p.UpdatedAt != nil {
			reported = ui.Minute(*p.UpdatedAt)
		}
		t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{
			{Text: ui.Visible(p.Topic), Mono: true}, {Text: ui.Count(int64(p.Partition))}, {Text: groupName(p.Group)}, {Text: ui.Count(p.Next)},
			{Text: ui.Count(p.End)}, {Text: ui.Count(p.Lag)}, {Text: ui.Count(p.Rejected)}, {Text: reported},
		}})
	}
	s.Tables = []ui.Table{t}
	return s
}

// sampleLength is how much of a rejected record is shown.
const sampleLength = 160

func rejects(q *request, h ask.Health) view.Section {
	s := view.Section{Panel: ui.Panel{ID: "rejects", Title: "What could not be used?",
		Definition: "The last records, or parts of records, that were rejected. The whole bytes are on the topic of rejects."}}
	if len(h.Rejects) == 0 {
		s.Empty = &ui.Empty{Message: "Nothing was rejected."}
		return s
	}
	t := ui.Table{ID: "reject-table", Caption: "The last rejects, newest first", Columns: []ui.Column{
		{Label: "Rejected (UTC)"}, {Label: "Reason"}, {Label: "What is wrong"}, {Label: "Run"}, {Label: "Format"}, {Label: "Where"}, {Label: "Begins"},
	}}
	for _, r := range h.Rejects {
		sample, rest := ui.Cut(r.Sample, sampleLength)
		if rest != "" {
			sample += " …"
		}
		run := ui.Cell{Text: groupName(r.RunID), Mono: true}
		if r.RunID != "" {
			run.Href = q.runAddress(r.RunID)
		}
		t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{
			{Text: ui.Minute(r.RejectedAt)}, {Text: ui.Visible(r.Reason)}, {Text: ui.Visible(r.Message)}, run, {Text: groupName(r.Format)},
			{Text: ui.Visible(r.Topic) + " " + ui.Count(int64(r.Partition)) + ":" + ui.Count(r.Offset)}, {Text: ui.Visible(sample), Mono: true},
		}})
	}
	s.Tables = []ui.Table{t}
	return s
}
