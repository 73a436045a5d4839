package chhttp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	chproto "github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/column"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"
)

// transcoder rewrites Native blocks of revision 0, which is what the embedded engine writes, as blocks of a client's revision.
// The two differ in a head before each block and in a mark at each column that its values are written plainly; the columns
// themselves are copied byte for byte. They are decoded only to find where they end.
type transcoder struct {
	in       []byte
	source   *bytes.Reader
	buffered *bufio.Reader
	reader   *chproto.Reader
	out      chproto.Buffer
	revision uint64
}

// readAhead is at least what the protocol's reader would buffer, so that it uses the buffer it is given, whose place in the
// input is known.
const readAhead = 1 << 20

// transcode rewrites whole blocks.
func transcode(blocks []byte, revision uint64) ([]byte, error) {
	t := &transcoder{in: blocks, source: bytes.NewReader(blocks), revision: revision}
	t.buffered = bufio.NewReaderSize(t.source, min(readAhead, max(len(blocks), 128<<10)))
	t.reader = chproto.NewReader(t.buffered)
	t.out.Buf = make([]byte, 0, len(blocks)+1024)
	for t.position() < len(blocks) {
		if err := t.block(); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, fmt.Errorf("read a block of the result: %w", err)
		}
	}
	return t.out.Buf, nil
}

// position is how much of the input is used up.
func (t *transcoder) position() int { return len(t.in) - t.source.Len() - t.buffered.Buffered() }

func (t *transcoder) block() error {
	columns, err := t.reader.UVarInt()
	if err != nil {
		return err
	}
	rows, err := t.reader.UVarInt()
	if err != nil {
		return err
	}
	if t.revision > 0 {
		t.head()
	}
	t.out.PutUVarInt(columns)
	t.out.PutUVarInt(rows)
	for range columns {
		if err := t.column(int(rows)); err != nil {
			return err
		}
	}
	return nil
}

// head is the block info of an ordinary block: field 1, no overflow rows; field 2, no bucket; end.
func (t *transcoder) head() {
	t.out.PutUVarInt(1)
	t.out.PutBool(false)
	t.out.PutUVarInt(2)
	t.out.PutInt32(-1)
	t.out.PutUVarInt(0)
}

func (t *transcoder) column(rows int) error {
	name, err := t.reader.Str()
	if err != nil {
		return err
	}
	kind, err := t.reader.Str()
	if err != nil {
		return err
	}
	t.out.PutString(name)
	t.out.PutString(kind)
	if t.revision >= proto.DBMS_MIN_REVISION_WITH_CUSTOM_SERIALIZATION {
		t.out.PutBool(false)
	}
	if rows == 0 {
		return nil
	}
	start := t.position()
	if err := t.skip(column.Type(kind), name, rows); err != nil {
		return fmt.Errorf("column %s of type %s: %w", name, kind, err)
	}
	t.out.Buf = append(t.out.Buf, t.in[start:t.position()]...)
	return nil
}

// skip reads past a column's values.
func (t *transcoder) skip(kind column.Type, name string, rows int) error {
	c, err := kind.Column(name, &column.ServerContext{Timezone: time.UTC})
	if err != nil {
		return err
	}
	if prefixed, ok := c.(column.CustomSerialization); ok {
		if err := prefixed.ReadStatePrefix(t.reader); err != nil {
			return err
		}
	}
	return c.Decode(t.reader, rows)
}
