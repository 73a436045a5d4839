package ask

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// Rolling says what is rolled.
type Rolling struct {
	// Quiet is how long nothing must have been written in a stretch. It must be longer than an insert can take to appear in
	// one table after it has in another, since what is noted of a stretch is what it is rolled for.
	Quiet time.Duration
	// Hours is how far back single hours are rolled, where their day is not over or not quiet.
	Hours time.Duration
	// Windows are the numbers of days that pages look back. Each cuts a day, of which the hours are rolled.
	Windows []int32
	// Rows bounds how many rows are rolled with one statement, beside at least one stretch.
	Rows uint64
}

// DefaultRolling suits a history that grows at its end.
func DefaultRolling() Rolling {
	return Rolling{Quiet: time.Minute, Hours: 72 * time.Hour, Windows: []int32{1, 7, 28, 90}, Rows: 300_000}
}

// Rolled is what one roll has done.
type Rolled struct {
	Days, Hours int
	Took        time.Duration
}

// Roll computes the cells of every day, and of every late hour, in which something was written since it was last computed.
// Nothing depends on its being done at all, or by one program alone: what is not rolled is answered from runs, a roll
// that breaks off is not noted, and of two the later one counts.
func (db *DB) Roll(ctx context.Context, r Rolling) (Rolled, error) {
	began := time.Now()
	var now time.Time
	if err := db.conn.QueryRow(ctx, "SELECT now64(6, 'UTC')").Scan(&now); err != nil {
		return Rolled{}, fmt.Errorf("ask the time: %w", err)
	}
	if err := db.ForgetMoved(ctx); err != nil {
		return Rolled{}, err
	}
	known, err := db.readRolled(ctx)
	if err != nil {
		return Rolled{}, err
	}
	if last := db.counted.Load(); last == nil || began.Sub(*last) >= recounting {
		if err := db.recount(ctx, known); err != nil {
			return Rolled{}, err
		}
		db.counted.Store(&began)
	}
	var done Rolled
	for level, stretches := range known.due(r, now) {
		for len(stretches) > 0 {
			n, rows := 1, stretches[0].writes
			for n < len(stretches) && rows+stretches[n].writes <= r.Rows {
				rows += stretches[n].writes
				n++
			}
			if err := db.rollAll(ctx, uint8(level), stretches[:n]); err != nil {
				return done, err
			}
			if stretches = stretches[n:]; level == 0 {
				done.Hours += n
			} else {
				done.Days += n
			}
		}
	}
	if err := db.sweepCells(ctx, known.superseded(r, now)); err != nil {
		return done, err
	}
	done.Took = time.Since(began)
	return done, nil
}

// recounting is how often runs are counted of which nothing was written.
const recounting = time.Hour

// dueStretch is a stretch to roll, with where its runs stand and how often something had been written there.
type dueStretch struct {
	first  int32
	writes uint64
	stands []place
}

// earliestCell and latestCell bound the stretches that are rolled by what the engine's days can hold.
const (
	earliestCell = 24 * 366
	latestCell   = 24 * 365 * 130
)

// due lists the hours and the days to roll.
func (r rolled) due(rolling Rolling, now time.Time) [2][]dueStretch {
	var due [2][]dueStretch
	quiet := func(n noted) bool { return now.Sub(n.writtenAt) >= rolling.Quiet }
	cut := rolling.cut(r)
	for _, d := range r {
		if d.first < earliestCell || d.first > latestCell {
			continue
		}
		ends := hourTime(d.first + 24)
		over := ends.Before(now) && quiet(d.day)
		if over && !d.day.whole() {
			whole := dueStretch{first: d.first, writes: d.day.writes, stands: []place{{level: 1, stretch: d.first}}}
			for i, hour := range d.hours {
				if hour.writes > 0 {
					whole.stands = append(whole.stands, place{level: 0, stretch: d.first + int32(i)})
				}
			}
			due[1] = append(due[1], whole)
		}
		if !cut[d.first] && (over || now.Sub(ends) > rolling.Hours) {
			continue
		}
		for i, hour := range d.hours {
			first := d.first + int32(i)
			if hour.writes > 0 && !hour.whole() && quiet(hour) && hourTime(first+1).Before(now) {
				due[0] = append(due[0], dueStretch{first: first, writes: hour.writes, stands: []place{{level: 0, stretch: first}}})
			}
		}
	}
	return due
}

// superseded lists the days whose hours need not be kept: rolled, and asked for as a whole.
func (r rolled) superseded(rolling Rolling, now time.Time) []int32 {
	var days []int32
	cut := rolling.cut(r)
	for _, d := range r {
		hours := slices.ContainsFunc(d.hours[:], func(h noted) bool { return h.roll > 0 })
		if hours && !cut[d.first] && d.day.whole() && now.Sub(hourTime(d.first+24)) > rolling.Hours {
			days = append(days, d.first)
		}
	}
	return days
}

// cut gives the days of which pages may ask a part: those that windows up to the newest day begin on.
func (rolling Rolling) cut(r rolled) map[int32]bool {
	cut := map[int32]bool{}
	for _, d := range slices.Backward(r) {
		if d.first > latestCell {
			continue
		}
		for _, days := range rolling.Windows {
			cut[d.first-days*24] = true
		}
		break
	}
	return cut
}

// rollAll computes the cells of some stretches of one level and then notes that they are whole.
func (db *DB) rollAll(ctx context.Context, level uint8, stretches []dueStretch) error {
	var low [2]byte
	_, _ = rand.Read(low[:])
	roll := uint64(time.Now().UnixMicro())<<10 | uint64(binary.LittleEndian.Uint16(low[:])&1023)
	by := ByDay
	if level == 0 {
		by = ByHour
	}
	var stands []place
	for _, s := range stretches {
		stands = append(stands, s.stands...)
	}
	hours := int32(1)
	if level == 1 {
		hours = 24
	}
	f := Filters{
		AsOf: latest, // by when everything is settled
		From: hourTime(stretches[0].first), To: hourTime(stretches[len(stretches)-1].first + hours),
	}
	for name, combinations := range db.combinations() {
		for _, dims := range combinations {
			f.By = []string{by}
			if dims != "" {
				f.By = append(f.By, strings.Split(dims, ",")...)
			}
			p := f.parameters(db.settings)
			plan{rolls: true, dims: dims, raw: stands}.add(p)
			p.number("level", int64(level))
			p.number64("roll", roll)
			p.moment("days_from", f.From)
			p.moment("days_to", f.To)
			p.texts("rule", nil)
			asked := clickhouse.Context(ctx, clickhouse.WithParameters(clickhouse.Parameters(p)))
			if err := db.conn.Exec(asked, rollTexts[name]); err != nil {
				return fmt.Errorf("roll %d stretches of %s by %q: %w", len(stretches), name, dims, err)
			}
		}
	}
	return db.note(ctx, noting{level, roll, stretches})
}

// noting is a roll whose cells are all written.
type noting struct {
	level     uint8
	roll      uint64
	stretches []dueStretch
}

// found is how many runs a stretch holds, and up to when.
type found struct {
	Stretch  int32     `ch:"stretch"`
	Runs     uint64    `ch:"runs"`
	LastFact time.Time `ch:"last_fact"`
}

func (db *DB) note(ctx context.Context, n noting) error {
	var rows []found
	err := db.conn.Select(ctx, &rows, "SELECT stretch, runs, last_fact FROM span_cells WHERE dims = '' AND level = {level:UInt8} AND roll = {roll:UInt64}",
		clickhouse.Named("level", n.level), clickhouse.Named("roll", n.roll))
	if err != nil {
		return fmt.Errorf("read what was rolled: %w", err)
	}
	of := map[int32]found{}
	for _, row := range rows {
		of[row.Stretch] = row
	}
	batch, err := db.conn.PrepareBatch(ctx, "INSERT INTO rolls (level, stretch, basis, roll, writes, runs, last_fact)")
	if err != nil {
		return fmt.Errorf("prepare the note of a roll: %w", err)
	}
	defer batch.Abort()
	for _, s := range n.stretches {
		row, ok := of[s.first]
		if !ok {
			row.LastFact = time.Unix(0, 0)
		}
		if err := batch.Append(n.level, s.first, basis, n.roll, s.writes, row.Runs, row.LastFact); err != nil {
			return fmt.Errorf("append the note of a roll: %w", err)
		}
	}
	if err := batch.Send(); err != nil {
		return fmt.Errorf("note the roll of %d stretches: %w", len(n.stretches), err)
	}
	return nil
}
