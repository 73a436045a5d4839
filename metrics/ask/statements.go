package ask

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// statements cuts the text of a question that consists of several, each a whole query ending in a semicolon.
func statements(text string) []string {
	var list []string
	for statement := range strings.SplitSeq(text, ";\n") {
		if strings.TrimSpace(statement) != "" {
			list = append(list, statement)
		}
	}
	return list
}

// summand is a row of which two of the same group are one together.
type summand[T any] interface {
	*T
	groups() group
	add(T)
}

// readSum reads a question of several statements, which run side by side, and puts rows of the same group together. Each
// statement gives some of the columns; what it does not give counts nothing.
func readSum[T any, S summand[T]](ctx context.Context, db *DB, name string, p parameters) ([]T, Query, error) {
	q, texts := newQuery(name, p), statements(mustSQL(name))
	parts := make([][]T, len(texts))
	asking, ctx := errgroup.WithContext(ctx)
	for i, statement := range texts {
		asking.Go(func() error {
			rows, err := selectRows[T](ctx, db, q.part(i), statement)
			parts[i] = rows
			return err
		})
	}
	if err := asking.Wait(); err != nil {
		return nil, q, err
	}
	return sum[T, S](parts), q, nil
}

// sum puts rows of the same group together, in the order of the groups.
func sum[T any, S summand[T]](parts [][]T) []T {
	var rows []T
	at := map[group]int{}
	for _, row := range slices.Concat(parts...) {
		g := S(&row).groups()
		i, ok := at[g]
		if !ok {
			at[g] = len(rows)
			rows = append(rows, row)
			continue
		}
		S(&rows[i]).add(row)
	}
	slices.SortFunc(rows, func(a, b T) int { return S(&a).groups().compare(S(&b).groups()) })
	return rows
}

// groups gives the group as a key of a map: with its time in one zone.
func (g group) groups() group {
	g.Time = g.Time.UTC()
	return g
}

func (g group) compare(other group) int {
	return cmp.Or(
		cmp.Compare(g.Tool, other.Tool), cmp.Compare(g.Code, other.Code), cmp.Compare(g.Variant, other.Variant),
		cmp.Compare(g.Model, other.Model), cmp.Compare(g.Agent, other.Agent), g.Time.Compare(other.Time))
}
