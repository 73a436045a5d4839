package metrics

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"errata/transcript"
)

// Bounds of what is compared. Transcripts are hostile, and a call is compared with many.
const (
	defaultThreshold = 0.5      // similarity at which a call belongs to an episode
	maxEditLength    = 256      // code points up to which the edit distance is taken: section 5
	maxComparedText  = 16 << 10 // bytes of one leaf whose words are compared
	maxEditCells     = 4 << 20  // cells of edit distances in one turn; beyond it words are compared instead
)

// comparer measures the similarity of two calls. One is made for each turn, since it holds the turn's budget.
type comparer struct {
	cells int
	rows  [2][]int
}

// difference is one argument leaf of two calls. A renamed leaf has the value of both and two pointers.
type difference struct {
	pointer, renamed   string // renamed: the pointer after, where the leaf has another name there
	before, after      string // canonical JSON; "" where the leaf is missing
	isRenamed, leftOut bool
}

func (d *difference) equal() bool { return d.before == d.after }

// sortedLeaves lists the leaves of arguments in the order of their pointers, up to a bound.
func sortedLeaves(a transcript.Arguments, most int) []transcript.Leaf {
	leaves := a.Leaves()
	slices.SortStableFunc(leaves, func(x, y transcript.Leaf) int { return strings.Compare(x.Pointer, y.Pointer) })
	return leaves[:min(len(leaves), most)]
}

// differences puts the leaves of two calls side by side. A leaf only before and one only after with equal values are one
// renamed leaf; where several have the same value, the first pairs with the first.
func differences(before, after []transcript.Leaf) []difference {
	out := make([]difference, 0, max(len(before), len(after)))
	for len(before) > 0 || len(after) > 0 {
		switch {
		case len(after) == 0 || len(before) > 0 && before[0].Pointer < after[0].Pointer:
			out = append(out, difference{pointer: before[0].Pointer, before: before[0].Value})
			before = before[1:]
		case len(before) == 0 || after[0].Pointer < before[0].Pointer:
			out = append(out, difference{pointer: after[0].Pointer, after: after[0].Value})
			after = after[1:]
		default:
			out = append(out, difference{pointer: before[0].Pointer, before: before[0].Value, after: after[0].Value})
			before, after = before[1:], after[1:]
		}
	}
	return pairRenamed(out)
}

func pairRenamed(all []difference) []difference {
	paired := false
	for i := range all {
		if all[i].after != "" || !renamable(all[i].before) {
			continue
		}
		for j := range all {
			if all[j].before == "" && !all[j].isRenamed && all[j].after == all[i].before {
				all[i].after, all[i].renamed, all[i].isRenamed = all[j].after, all[j].pointer, true
				all[j].after = ""
				paired = true
				break
			}
		}
	}
	if !paired {
		return all
	}
	return slices.DeleteFunc(all, func(d difference) bool { return d.before == "" && d.after == "" })
}

// renamable tells the values that say enough to recognise a leaf by: not the empty ones, not true or false.
func renamable(value string) bool {
	switch value {
	case `""`, "null", "{}", "[]", "true", "false":
		return false
	}
	return true
}

// similarity is the similarity of section 5 of an earlier call and a later one, with the faulty arguments left out. Where
// it cannot reach enough any more, it stops and is some number below.
func (m *comparer) similarity(before, after *callState, f *faults, enough float64) float64 {
	all := differences(before.leaves, after.leaves)
	f.leaveOut(all, before, after)
	count := 0
	for i := range all {
		if !all[i].leftOut {
			count++
		}
	}
	if count == 0 {
		return 1
	}
	sum, left := 0.0, count
	for i := range all {
		if all[i].leftOut {
			continue
		}
		sum += m.likeness(all[i].before, all[i].after)
		if left--; sum+float64(left) < (enough-rounding)*float64(count) {
			break
		}
	}
	return sum / float64(count)
}

// likeness is the similarity of two values, as canonical JSON, "" for a missing one.
func (m *comparer) likeness(a, b string) float64 {
	if a == b {
		return 1
	}
	if a == "" || b == "" || a[0] != '"' || b[0] != '"' {
		return 0
	}
	a, b = comparedText(a), comparedText(b)
	if a == b {
		return 1
	}
	if m.editable(a, b) {
		x, y := []rune(a), []rune(b)
		return 1 - float64(m.editDistance(x, y))/float64(max(len(x), len(y)))
	}
	return jaccard(wordsOf(a), wordsOf(b))
}

// comparedText is the text of a string value, case-folded, and cut where it is very long: by then only its words count.
func comparedText(value string) string {
	if len(value) <= maxComparedText {
		return foldCase(unquoted(value))
	}
	return foldCase(cut(value[1:], maxComparedText))
}

// editable tells whether two texts are compared by their edit distance rather than by their words.
func (m *comparer) editable(a, b string) bool {
	const bytes = maxEditLength * utf8.UTFMax
	if len(a) > bytes || len(b) > bytes {
		return false
	}
	x, y := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	if x > maxEditLength || y > maxEditLength || m.cells+x*y > maxEditCells {
		return false
	}
	return !strings.ContainsFunc(a, unicode.IsSpace) && !strings.ContainsFunc(b, unicode.IsSpace)
}

// editDistance is the Levenshtein distance, by the algorithm of Wagner and Fischer (1974) with two rows.
func (m *comparer) editDistance(a, b []rune) int {
	m.cells += len(a) * len(b)
	previous, row := grown(m.rows[0], len(b)+1), grown(m.rows[1], len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i, x := range a {
		row[0] = i + 1
		for j, y := range b {
			substitution := previous[j]
			if x != y {
				substitution++
			}
			row[j+1] = min(substitution, previous[j+1]+1, row[j]+1)
		}
		previous, row = row, previous
	}
	m.rows = [2][]int{previous, row}
	return previous[len(b)]
}

// grown is a slice of a length, the given one where it is large enough.
func grown(s []int, length int) []int {
	if cap(s) < length {
		return make([]int, length, 2*length)
	}
	return s[:length]
}

// wordsOf is the set of the runs of letters or digits.
func wordsOf(s string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words[word] = true
	}
	return words
}

// jaccard is the share of the words of either set that are in both; 0 where there are none.
func jaccard(a, b map[string]bool) float64 {
	both := 0
	for word := range a {
		if b[word] {
			both++
		}
	}
	either := len(a) + len(b) - both
	if either == 0 {
		return 0
	}
	return float64(both) / float64(either)
}
