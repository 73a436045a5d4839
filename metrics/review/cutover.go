package review

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Cutover is a named moment at which something was changed over.
type Cutover struct {
	Name      string    `json:"name" ch:"name"`
	At        time.Time `json:"at" ch:"at"`
	Note      string    `json:"note" ch:"note"`
	Author    string    `json:"author" ch:"author"`
	CreatedAt time.Time `json:"created_at" ch:"created_at"`
	// Deleted takes the name back.
	Deleted bool `json:"deleted,omitempty" ch:"deleted"`
}

// maxCutoverName is how long a cutover's name may be: it stands beside a line in a chart.
const maxCutoverName = 200

func (c Cutover) check() error {
	switch {
	case strings.TrimSpace(c.Name) == "":
		return invalid("name", "name is missing; give the moment a name, such as the release")
	case len(c.Name) > maxCutoverName:
		return invalid("name", "the name has %d bytes; it must have at most %d", len(c.Name), maxCutoverName)
	case c.At.IsZero() && !c.Deleted:
		return invalid("at", "at is missing; give the moment as RFC 3339, such as 2026-10-01T12:00:00Z")
	case !c.Deleted && (c.At.Year() < 1970 || c.At.Year() > 2200):
		return invalid("at", "at is in the year %d; it must lie in 1970 to 2200", c.At.Year())
	case len(c.Note) > maxNote:
		return invalid("note", "the note has %d bytes; at most %d are kept", len(c.Note), maxNote)
	case len(c.Author) > maxName:
		return invalid("author", "the author has %d bytes; at most %d are kept", len(c.Author), maxName)
	}
	return nil
}

// Cutovers lists the named moments in order of time.
func (r *Reviews) Cutovers(ctx context.Context) ([]Cutover, error) {
	all, err := r.everyCutover(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(c Cutover) bool { return c.Deleted }), nil
}

// everyCutover lists those that were taken back as well.
func (r *Reviews) everyCutover(ctx context.Context) ([]Cutover, error) {
	cutovers := []Cutover{}
	if err := r.read(ctx, "cutovers.sql", nil, &cutovers); err != nil {
		return nil, err
	}
	for i := range cutovers {
		cutovers[i].At, cutovers[i].CreatedAt = cutovers[i].At.UTC(), cutovers[i].CreatedAt.UTC()
	}
	return cutovers, nil
}

// Mark names a moment, moves one that has the name already, or takes it back, and returns what was recorded.
func (r *Reviews) Mark(ctx context.Context, c Cutover) (Cutover, error) {
	c.Name = strings.TrimSpace(c.Name)
	if err := c.check(); err != nil {
		return c, err
	}
	known, err := r.everyCutover(ctx)
	if err != nil {
		return c, err
	}
	var before time.Time
	for _, k := range known {
		if k.Name != c.Name {
			continue
		}
		before = k.CreatedAt
		if c.Deleted && !k.Deleted {
			c.At = k.At
		}
	}
	if c.Deleted && c.At.IsZero() {
		return c, invalid("name", "there is no cutover named %q to take back", c.Name)
	}
	c.At, c.CreatedAt = c.At.UTC().Truncate(time.Millisecond), r.after(before)
	batch, err := r.conn.PrepareBatch(ctx, "INSERT INTO cutovers (name, at, note, author, deleted, created_at)")
	if err != nil {
		return c, fmt.Errorf("prepare a cutover: %w", err)
	}
	defer batch.Abort()
	if err := batch.Append(c.Name, c.At, c.Note, c.Author, c.Deleted, c.CreatedAt); err != nil {
		return c, fmt.Errorf("append a cutover: %w", err)
	}
	if err := batch.Send(); err != nil {
		return c, fmt.Errorf("insert a cutover: %w", err)
	}
	return c, nil
}
