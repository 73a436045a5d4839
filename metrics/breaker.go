package metrics

import "errata/transcript"

// countStreaks notes how many failures in a row of a tool stand before each recovery turn and each recovery: what a breaker
// that opens after N of them would have cut off. Calls of other tools do not break a row, nor do calls that never ran or
// have no result; a success does. Rows follow the order of turns, abandoned branches among it: a breaker counts what comes.
func countStreaks(facts *Facts) {
	rows := rowsOfFailures(facts.Calls)
	for i := range facts.Charges {
		c := &facts.Charges[i]
		c.Streak = rows.before(c.Thread, c.Tool, Ref{Turn: c.Turn, Index: -1})
	}
	for i := range facts.Episodes {
		e := &facts.Episodes[i]
		if e.Ending == EndingRecovered || e.Ending == EndingRecoveredWithUser {
			e.Streak = rows.before(e.Last.Thread, e.Tool, e.Last)
		}
	}
}

// failureRow is how many failures in a row a tool has had after one of its calls.
type failureRow struct {
	at    Ref
	count int
}

// failureRows are the rows of each tool of each thread, in order.
type failureRows map[threadTool][]failureRow

type threadTool struct {
	thread transcript.ThreadID
	tool   transcript.Tool
}

func rowsOfFailures(calls []CallFact) failureRows {
	rows := failureRows{}
	for i := range calls {
		c := &calls[i]
		if c.Outcome != OutcomeError && c.Outcome != OutcomeOK {
			continue
		}
		key := threadTool{c.Thread, c.Tool}
		row := failureRow{at: c.Ref}
		if earlier := rows[key]; c.Outcome == OutcomeError {
			row.count = 1
			if n := len(earlier); n > 0 {
				row.count += earlier[n-1].count
			}
		} else if len(earlier) == 0 {
			continue
		}
		rows[key] = append(rows[key], row)
	}
	return rows
}

// before is the count just before a place.
func (r failureRows) before(thread transcript.ThreadID, tool transcript.Tool, at Ref) int {
	rows := r[threadTool{thread, tool}]
	low, high := 0, len(rows)
	for low < high {
		middle := (low + high) / 2
		if rows[middle].at.compare(at) < 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low == 0 {
		return 0
	}
	return rows[low-1].count
}
