package ask

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// stretchRow is a row of stretches.sql: what was written in a stretch, or a roll of it.
type stretchRow struct {
	Level     uint8     `ch:"level"`
	Stretch   int32     `ch:"stretch"`
	Writes    uint64    `ch:"writes"`
	WrittenAt time.Time `ch:"written_at"`
	Roll      uint64    `ch:"roll"`
	Runs      uint64    `ch:"runs"`
	LastFact  time.Time `ch:"last_fact"`
}

// noted is how often something was written in a stretch, and the newest roll of it.
type noted struct {
	writes, rolledWrites uint64
	writtenAt            time.Time
	roll, runs           uint64
	lastFact             time.Time
}

// whole says whether nothing was written since the roll.
func (n noted) whole() bool { return n.roll > 0 && n.rolledWrites == n.writes }

func (n *noted) add(r stretchRow) {
	if r.Roll > 0 {
		n.roll, n.rolledWrites, n.runs, n.lastFact = r.Roll, r.Writes, r.Runs, r.LastFact
		return
	}
	n.write(r)
}

func (n *noted) write(r stretchRow) {
	n.writes += r.Writes
	if r.WrittenAt.After(n.writtenAt) {
		n.writtenAt = r.WrittenAt
	}
}

// rolledDay is a day: all of it, its hours, and what no hour holds.
type rolledDay struct {
	first  int32 // hour since 1970
	day    noted
	beside bool // something stands at the day itself
	hours  [24]noted
}

// rolled is what is known of all days with anything in them, in order.
type rolled []*rolledDay

func (db *DB) readRolled(ctx context.Context) (rolled, error) {
	p := parameters{}
	p.number64("basis", basis)
	rows, _, err := read[stretchRow](ctx, db, "stretches.sql", p)
	if err != nil {
		return nil, err
	}
	days := map[int32]*rolledDay{}
	out := rolled{}
	for _, row := range rows {
		first := floorDay(row.Stretch)
		d := days[first]
		if d == nil {
			d = &rolledDay{first: first}
			days[first] = d
			out = append(out, d)
		}
		switch {
		case row.Level == 0:
			d.hours[row.Stretch-first].add(row)
			if row.Roll == 0 {
				d.day.write(row)
			}
		default:
			d.beside = d.beside || row.Roll == 0
			d.day.add(row)
		}
	}
	slices.SortFunc(out, func(a, b *rolledDay) int { return int(a.first) - int(b.first) })
	return out, nil
}

// shrunk is a day of which a roll counts more or fewer runs than there are.
type shrunk struct {
	First int64  `ch:"first_hour"`
	Runs  uint64 `ch:"runs"`
}

// recount takes days for not rolled whose runs are not those that were rolled. Writing is noted; that the engine has
// removed what is older than it shall keep is not.
func (db *DB) recount(ctx context.Context, known rolled) error {
	var counts []shrunk
	err := db.conn.Select(ctx, &counts, `
		SELECT toInt32(floor(stretch / 24)) * 24 AS first_hour, count() AS runs
		FROM dated_runs FINAL
		WHERE level < 2
		GROUP BY first_hour`)
	if err != nil {
		return fmt.Errorf("count the runs of each day: %w", err)
	}
	of := map[int32]uint64{}
	for _, c := range counts {
		of[int32(c.First)] = c.Runs
	}
	for _, d := range known {
		if d.day.roll > 0 && d.day.runs != of[d.first] {
			d.day.roll = 0
			for i := range d.hours {
				d.hours[i].roll = 0
			}
		}
	}
	return nil
}

// floorDay is the first hour of the day of an hour.
func floorDay(hour int32) int32 {
	if hour < 0 {
		hour -= 23
	}
	return hour / 24 * 24
}

func hourTime(hour int32) time.Time { return time.Unix(int64(hour)*3600, 0).UTC() }

// mostRaw bounds the list of stretches that a question is given. Beyond it everything is read anew.
const mostRaw = 4000

// plan says what of the time asked for is answered from cells. They hold what everything becomes with time: so the newest
// of a stretch must be as old at as_of as it takes for that.
func (r rolled) plan(f Filters, settles time.Duration) plan {
	within := func(n noted, first, hours int32) bool {
		ends := hourTime(first + hours)
		return n.whole() && f.AsOf.After(n.lastFact.Add(settles)) && !hourTime(first).Before(f.From) &&
			(f.To.IsZero() || !ends.After(f.To) || n.lastFact.Before(f.To))
	}
	touched := func(first, hours int32) bool {
		return hourTime(first+hours).After(f.From) && (f.To.IsZero() || hourTime(first).Before(f.To))
	}
	var p plan
	for _, d := range r {
		if !touched(d.first, 24) {
			continue
		}
		if within(d.day, d.first, 24) {
			p.cells = append(p.cells, place{1, d.first, d.day.roll})
			continue
		}
		if d.beside {
			p.raw = append(p.raw, place{level: 1, stretch: d.first})
		}
		for i, hour := range d.hours {
			first := d.first + int32(i)
			switch {
			case hour.writes == 0 || !touched(first, 1):
			case within(hour, first, 1):
				p.cells = append(p.cells, place{0, first, hour.roll})
			default:
				p.raw = append(p.raw, place{level: 0, stretch: first})
			}
		}
	}
	if len(p.cells) == 0 || len(p.raw)+len(p.cells) > mostRaw {
		return readAnew()
	}
	return p
}
