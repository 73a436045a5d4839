package chhttp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	chproto "github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/column"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"
)

// transcode rewrites Native blocks of revision 0, which is what the embedded engine writes, as blocks of a client's revision:
// with a block head, and with a mark at each column that its values are written plainly.
func transcode(blocks []byte, revision uint64) ([]byte, error) {
	reader := chproto.NewReader(bytes.NewReader(blocks))
	out := &chproto.Buffer{Buf: make([]byte, 0, len(blocks)+1024)}
	for {
		block := proto.Block{ServerContext: &column.ServerContext{Timezone: time.UTC}}
		if err := block.Decode(reader, 0); err != nil {
			if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && len(block.Columns) == 0 {
				return out.Buf, nil
			}
			return nil, fmt.Errorf("read a block of the result: %w", err)
		}
		if err := encode(out, &block, revision); err != nil {
			return nil, fmt.Errorf("write a block of revision %d: %w", revision, err)
		}
	}
}

func encode(out *chproto.Buffer, block *proto.Block, revision uint64) error {
	if block.Rows() > 0 {
		return block.Encode(out, revision)
	}
	// A block without rows has no column data at all, not even the dictionaries' heads that Encode would write.
	if err := block.EncodeHeader(out, revision); err != nil {
		return err
	}
	for i, c := range block.Columns {
		out.PutString(block.ColumnsNames()[i])
		out.PutString(string(c.Type()))
		if revision >= proto.DBMS_MIN_REVISION_WITH_CUSTOM_SERIALIZATION {
			out.PutBool(false)
		}
	}
	return nil
}
