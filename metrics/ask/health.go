package ask

import (
	"context"
	"strconv"
	"time"
)

// Health is how far ingest has come. Records were read, of which some were Rejected, wholly or in part, and the others
// Stored.
type Health struct {
	Lag      *int64      `json:"lag"`   // records behind; null where no ingester has reported
	AsOf     *time.Time  `json:"as_of"` // when an ingester last reported
	Records  int64       `json:"records"`
	Stored   int64       `json:"stored"`
	Rejected int64       `json:"rejected"`
	Runs     int64       `json:"runs"`
	Calls    int64       `json:"calls"`
	Newest   *time.Time  `json:"newest_call"`
	Parts    []Partition `json:"partitions"`
	Rejects  []Reject    `json:"rejects"` // the last ones, newest first
}

// Partition is how far ingest has come in one partition.
type Partition struct {
	Topic     string     `json:"topic"`
	Partition int32      `json:"partition"`
	Group     string     `json:"consumer_group"`
	Next      int64      `json:"next_offset"`
	End       int64      `json:"high_watermark"`
	Lag       int64      `json:"lag"`
	Records   int64      `json:"records"`
	Rejected  int64      `json:"rejected"`
	UpdatedAt *time.Time `json:"updated_at"`
}

// Reject is a record, or a part of one, that could not be used.
type Reject struct {
	Topic      string    `json:"topic" ch:"topic"`
	Partition  int32     `json:"partition" ch:"partition"`
	Offset     int64     `json:"offset" ch:"offset"`
	Part       int32     `json:"part" ch:"part"`
	Reason     string    `json:"reason" ch:"reason"`
	Message    string    `json:"message" ch:"message"`
	RunID      string    `json:"run_id" ch:"run_id"`
	Format     string    `json:"format" ch:"format"`
	Sample     string    `json:"sample" ch:"sample"` // the first KiB
	RejectedAt time.Time `json:"rejected_at" ch:"rejected_at"`
}

// lastRejects is how many rejects are shown.
const lastRejects = 50

// healthRow is a row of health.sql.
type healthRow struct {
	Topic     string    `ch:"topic"`
	Partition int32     `ch:"partition"`
	Group     string    `ch:"consumer_group"`
	First     int64     `ch:"first_offset"`
	Next      int64     `ch:"next_offset"`
	End       int64     `ch:"high_watermark"`
	UpdatedAt time.Time `ch:"updated_at"`
	Rejected  int64     `ch:"rejected"`
}

// Health asks how far ingest has come. It takes no filters.
func (db *DB) Health(ctx context.Context) (Answer[Health], error) {
	s, err := db.spanOnce(ctx)
	if err != nil {
		return Answer[Health]{}, err
	}
	rejects, _, err := read[Reject](ctx, db, "rejects.sql", parameters{"limit": strconv.Itoa(lastRejects)})
	if err != nil {
		return Answer[Health]{}, err
	}
	rows, q, err := read[healthRow](ctx, db, "health.sql", parameters{})
	if err != nil {
		return Answer[Health]{}, err
	}
	h := Health{Runs: s.Runs, Calls: s.Calls, Parts: []Partition{}, Rejects: rejects}
	if rejects == nil {
		h.Rejects = []Reject{}
	}
	if s.Calls > 0 {
		newest := s.NewestCall.UTC()
		h.Newest = &newest
	}
	for _, row := range rows {
		h.add(row)
	}
	h.Stored = max(h.Records-h.Rejected, 0)
	a := answer[Health](Filters{AsOf: db.settings.Now().UTC().Truncate(time.Millisecond), All: true}, q)
	a.Rows = append(a.Rows, h)
	return a, nil
}

// add takes in one partition. One that has rejects and no report adds to the rejects only.
func (h *Health) add(row healthRow) {
	p := Partition{
		Topic: row.Topic, Partition: row.Partition, Group: row.Group, Next: row.Next, End: row.End,
		Lag: max(row.End-row.Next, 0), Records: max(row.Next-row.First, 0), Rejected: row.Rejected,
	}
	h.Records += p.Records
	h.Rejected += p.Rejected
	if row.UpdatedAt.Unix() > 0 {
		at := row.UpdatedAt.UTC()
		p.UpdatedAt = &at
		if h.Lag == nil {
			h.Lag = new(int64)
		}
		*h.Lag += p.Lag
		if h.AsOf == nil || at.After(*h.AsOf) {
			h.AsOf = &at
		}
	}
	h.Parts = append(h.Parts, p)
}
