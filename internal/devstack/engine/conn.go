package engine

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"
)

// Param is the value of one {name:Type} placeholder, in the escaped text form that the HTTP interface takes too.
type Param struct{ Name, Value string }

// Stats counts what a statement read and wrote.
type Stats struct{ RowsRead, BytesRead, RowsWritten, BytesWritten uint64 }

// conn is one connection: a session of the engine that runs one statement at a time.
type conn struct {
	lib *library
	// handle points at the connection object, at is where the engine keeps that pointer.
	handle uintptr
	at     uintptr
}

// connect opens a connection; args are the engine's command line without its name.
func connect(lib *library, args []string) (*conn, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	argv := make([]unsafe.Pointer, 0, len(args)+2)
	for _, arg := range append([]string{"clickhouse"}, args...) {
		p := &append([]byte(arg), 0)[0]
		pin.Pin(p)
		argv = append(argv, unsafe.Pointer(p))
	}
	argv = append(argv, nil)
	pin.Pin(&argv[0])
	at := lib.connect(int32(len(argv)-1), unsafe.Pointer(&argv[0]))
	if at == 0 {
		return nil, errors.New("the ClickHouse engine did not start; is its data directory writable and not in use by another devstack?")
	}
	handle := *(*uintptr)(pointer(at))
	if handle == 0 {
		return nil, errors.New("the ClickHouse engine started without a connection")
	}
	return &conn{lib: lib, handle: handle, at: at}, nil
}

// pointer turns an address that the engine returned into a pointer. It never is one of Go's, so the garbage collector does
// not care.
func pointer(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

func (c *conn) close() { c.lib.closeConn(c.at) }

// call is a statement laid out as the engine's functions take it: text, format, and four parallel arrays of parameters.
type call struct {
	pin                              runtime.Pinner
	query, format                    unsafe.Pointer
	queryLen, formatLen              uintptr
	names, nameLens, values, valLens unsafe.Pointer
	count                            uintptr
}

func newCall(query, format string, params []Param) *call {
	k := &call{queryLen: uintptr(len(query)), formatLen: uintptr(len(format)), count: uintptr(len(params))}
	k.query, k.format = k.bytes(query), k.bytes(format)
	if len(params) == 0 {
		return k
	}
	names, values := make([]unsafe.Pointer, len(params)), make([]unsafe.Pointer, len(params))
	nameLens, valLens := make([]uintptr, len(params)), make([]uintptr, len(params))
	for i, p := range params {
		names[i], nameLens[i] = k.bytes(p.Name), uintptr(len(p.Name))
		values[i], valLens[i] = k.bytes(p.Value), uintptr(len(p.Value))
	}
	k.pin.Pin(&names[0])
	k.pin.Pin(&values[0])
	k.pin.Pin(&nameLens[0])
	k.pin.Pin(&valLens[0])
	k.names, k.values = unsafe.Pointer(&names[0]), unsafe.Pointer(&values[0])
	k.nameLens, k.valLens = unsafe.Pointer(&nameLens[0]), unsafe.Pointer(&valLens[0])
	return k
}

// bytes pins a NUL-terminated copy of s until release.
func (k *call) bytes(s string) unsafe.Pointer {
	p := &append([]byte(s), 0)[0]
	k.pin.Pin(p)
	return unsafe.Pointer(p)
}

func (k *call) release() { k.pin.Unpin() }

// run executes a statement and hands its whole result to sink.
func (c *conn) run(query, format string, params []Param, sink func([]byte) error) (Stats, error) {
	k := newCall(query, format, params)
	defer k.release()
	result := c.lib.query(c.handle, k.query, k.queryLen, k.format, k.formatLen, k.names, k.nameLens, k.values, k.valLens, k.count)
	if result == 0 {
		return Stats{}, errors.New("the engine returned no result")
	}
	defer c.lib.destroy(result)
	if err := c.failure(result); err != nil {
		return Stats{}, err
	}
	stats := c.stats(result)
	if data := c.data(result); len(data) > 0 && sink != nil {
		return stats, sink(data)
	}
	return stats, nil
}

// stream executes a SELECT and hands its result to sink piece by piece as the engine makes it.
func (c *conn) stream(query, format string, params []Param, sink func([]byte) error) (Stats, error) {
	k := newCall(query, format, params)
	stream := c.lib.streamQuery(c.handle, k.query, k.queryLen, k.format, k.formatLen, k.names, k.nameLens, k.values, k.valLens, k.count)
	k.release()
	if stream == 0 {
		return Stats{}, errors.New("the engine returned no stream")
	}
	defer c.lib.destroy(stream)
	if err := c.failure(stream); err != nil {
		return Stats{}, err
	}
	var total Stats
	for {
		more, stats, err := c.fetch(stream, sink)
		total = total.plus(stats)
		if err != nil {
			c.lib.streamStop(c.handle, stream)
			return total, err
		}
		if !more {
			return total, nil
		}
	}
}

// fetch hands the next piece of a stream to sink and says whether there was one.
func (c *conn) fetch(stream uintptr, sink func([]byte) error) (bool, Stats, error) {
	piece := c.lib.streamFetch(c.handle, stream)
	if piece == 0 {
		return false, Stats{}, errors.New("the engine returned no piece of the result")
	}
	defer c.lib.destroy(piece)
	if err := c.failure(piece); err != nil {
		return false, Stats{}, err
	}
	data, stats := c.data(piece), c.stats(piece)
	if len(data) == 0 {
		return false, stats, nil
	}
	if sink == nil {
		return true, stats, nil
	}
	return true, stats, sink(data)
}

func (c *conn) failure(result uintptr) error {
	if message := text(c.lib.resultError(result)); message != "" {
		return parseError(message)
	}
	return nil
}

// data is the result's bytes, valid until the result is destroyed.
func (c *conn) data(result uintptr) []byte {
	n := c.lib.length(result)
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(c.lib.buffer(result)), n)
}

func (c *conn) stats(result uintptr) Stats {
	return Stats{
		RowsRead: c.lib.rowsRead(result), BytesRead: c.lib.bytesRead(result),
		RowsWritten: c.lib.rowsWritten(result), BytesWritten: c.lib.bytesWritten(result),
	}
}

func (s Stats) plus(o Stats) Stats {
	return Stats{
		RowsRead: s.RowsRead + o.RowsRead, BytesRead: s.BytesRead + o.BytesRead,
		RowsWritten: s.RowsWritten + o.RowsWritten, BytesWritten: s.BytesWritten + o.BytesWritten,
	}
}

// insertStream is an INSERT whose data follows in pieces.
type insertStream struct {
	c      *conn
	handle uintptr
}

// beginInsert starts an INSERT. The query names the table and columns, without FORMAT and data.
func (c *conn) beginInsert(query, format string, params []Param) (*insertStream, error) {
	k := newCall(query, format, params)
	defer k.release()
	handle := c.lib.insert(c.handle, k.query, k.queryLen, k.format, k.formatLen, k.names, k.nameLens, k.values, k.valLens, k.count)
	if handle == 0 {
		return nil, errors.New("the engine returned no insert stream")
	}
	s := &insertStream{c: c, handle: handle}
	if err := s.failure(); err != nil {
		s.destroy()
		return nil, err
	}
	return s, nil
}

func (s *insertStream) failure() error {
	if message := text(s.c.lib.insertError(s.handle)); message != "" {
		return parseError(message)
	}
	return nil
}

// append sends one piece; the engine copies it.
func (s *insertStream) append(piece []byte) error {
	if len(piece) == 0 {
		return nil
	}
	if s.c.lib.insertAppend(s.handle, unsafe.Pointer(&piece[0]), uintptr(len(piece))) == 0 {
		return nil
	}
	if err := s.failure(); err != nil {
		return err
	}
	return errors.New("the engine refused a piece of the insert")
}

// done ends the data and returns once the rows are stored.
func (s *insertStream) done() (Stats, error) {
	result := s.c.lib.insertDone(s.handle)
	if result == 0 {
		return Stats{}, fmt.Errorf("the engine did not confirm the insert: %w", s.failure())
	}
	defer s.c.lib.destroy(result)
	if err := s.c.failure(result); err != nil {
		return Stats{}, err
	}
	return s.c.stats(result), nil
}

func (s *insertStream) cancel()  { s.c.lib.insertCancel(s.handle) }
func (s *insertStream) destroy() { s.c.lib.insertDestroy(s.handle) }
