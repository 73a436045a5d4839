package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// tagSetting carries the mark by which a running statement is found again to cancel it, since the embedded engine lets
// nobody choose a query's id. It has no effect unless the query cache is used.
const tagSetting = "query_cache_tag"

// Setting is one ClickHouse setting.
type Setting struct{ Name, Value string }

// SessionOptions say in what surroundings a statement runs.
type SessionOptions struct {
	// Database is the current database; empty means default.
	Database string
	// Settings hold for the session.
	Settings []Setting
	// Tag marks the session's statements so that they can be cancelled. It must be unique.
	Tag string
}

// Session is one connection of its own, so that nothing a statement sets is left for the next.
type Session struct {
	engine *Engine
	conn   *conn
	tag    string
}

// Session opens a session, waiting while too many are open.
func (e *Engine) Session(ctx context.Context, o SessionOptions) (*Session, error) {
	select {
	case e.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for a free connection: %w", ctx.Err())
	}
	c, err := connect(e.lib, e.args)
	if err != nil {
		<-e.slots
		return nil, err
	}
	s := &Session{engine: e, conn: c}
	if err := s.prepare(o); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// prepare puts the session where a server's would be: two settings have other defaults in the embedded engine.
func (s *Session) prepare(o SessionOptions) error {
	settings := []Setting{{"implicit_select", "0"}, {"allow_introspection_functions", "0"}}
	settings = append(settings, o.Settings...)
	if o.Tag != "" && !usesQueryCache(o.Settings) {
		s.tag = o.Tag
		settings = append(settings, Setting{tagSetting, o.Tag})
	}
	if o.Database != "" {
		if _, err := s.conn.run("USE "+quote(o.Database, '`'), "Null", nil, nil); err != nil {
			return err
		}
	}
	_, err := s.conn.run(setStatement(settings), "Null", nil, nil)
	return err
}

func usesQueryCache(settings []Setting) bool {
	for _, s := range settings {
		if s.Name == tagSetting || s.Name == "use_query_cache" {
			return true
		}
	}
	return false
}

// setStatement writes a SET; where a name repeats the last one counts, as in a URL.
func setStatement(settings []Setting) string {
	var b strings.Builder
	b.WriteString("SET ")
	for i, s := range settings {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quote(s.Name, '`'))
		b.WriteString(" = ")
		b.WriteString(quote(s.Value, '\''))
	}
	return b.String()
}

// quote puts text between quotation marks as ClickHouse reads them.
func quote(text string, mark byte) string {
	var b strings.Builder
	b.WriteByte(mark)
	for i := range len(text) {
		if text[i] == mark || text[i] == '\\' {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	b.WriteByte(mark)
	return b.String()
}

// Close gives the connection back.
func (s *Session) Close() {
	s.conn.close()
	<-s.engine.slots
}

// Query is a statement with its parameters and the format of its result.
type Query struct {
	Text, Format string
	Params       []Param
	// Piecewise lets the result come in pieces while it is made. Only a format whose pieces can be put one after the other
	// allows it.
	Piecewise bool
}

// Query runs a statement and hands its result to sink. The bytes are sink's only until it returns; an error of sink ends the
// statement. The end of ctx cancels it.
func (s *Session) Query(ctx context.Context, q Query, sink func([]byte) error) (stats Stats, err error) {
	s.engine.during(ctx, s.tag, func() {
		if q.Piecewise {
			stats, err = s.conn.stream(q.Text, q.Format, q.Params, sink)
		}
		if !q.Piecewise || notStreamable(err) {
			stats, err = s.conn.run(q.Text, q.Format, q.Params, sink)
		}
	})
	return stats, err
}

// notStreamable recognises the refusal, made before anything ran, of a statement that cannot give its result in pieces.
func notStreamable(err error) bool {
	var failure *Error
	return errors.As(err, &failure) && failure.Code == 36 && strings.Contains(failure.Text, "Streaming query is not supported")
}

// insertPiece is how much of a body goes to the engine at once.
const insertPiece = 256 << 10

// Insert runs "INSERT INTO …", without FORMAT, and takes its rows from body in q.Format. It returns once they are stored.
func (s *Session) Insert(ctx context.Context, q Query, body io.Reader) (stats Stats, err error) {
	s.engine.during(ctx, s.tag, func() { stats, err = s.insert(ctx, q, body) })
	return stats, err
}

func (s *Session) insert(ctx context.Context, q Query, body io.Reader) (Stats, error) {
	stream, err := s.conn.beginInsert(q.Text, q.Format, q.Params)
	if err != nil {
		return Stats{}, err
	}
	defer stream.destroy()
	piece := make([]byte, insertPiece)
	for {
		n, readErr := fill(body, piece)
		ended := errors.Is(readErr, io.EOF)
		if readErr != nil && !ended || ctx.Err() != nil {
			stream.cancel()
			return Stats{}, fmt.Errorf("read the rows to insert: %w", errors.Join(readErr, ctx.Err()))
		}
		if err := stream.append(piece[:n]); err != nil {
			return Stats{}, err
		}
		if ended {
			return stream.done()
		}
	}
}

// fill reads until the piece is full or the body ends or breaks. Unlike io.ReadFull it leaves a body that breaks off, which
// is io.ErrUnexpectedEOF, distinct from one that ends.
func fill(body io.Reader, piece []byte) (n int, err error) {
	for n < len(piece) && err == nil {
		var more int
		more, err = body.Read(piece[n:])
		n += more
	}
	return n, err
}
