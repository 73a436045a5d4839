package chhttp

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go/compress"
	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"errata/internal/devstack/engine"
)

// held is how much of an answer is held back before its head is sent. Until then an exception still gets its own status, as
// on a server.
const held = 1 << 20

// reply writes one answer.
type reply struct {
	http    http.ResponseWriter
	req     *request
	version string
	started time.Time
	stats   engine.Stats

	buffer bytes.Buffer
	// sink takes the answer behind the compressions; nil until the head is sent.
	sink   io.WriteCloser
	blocks *compress.Writer
	failed bool
	tag    string
}

func newReply(w http.ResponseWriter, req *request, version string) *reply {
	return &reply{http: w, req: req, version: version, started: time.Now(), tag: strings.ReplaceAll(newID(), "-", "")[:16]}
}

// format is the name of the format that the answer has.
func (r *reply) format() string {
	switch {
	case r.req.statement.format != "":
		return r.req.statement.format
	case r.req.format != "":
		return r.req.format
	}
	return "TabSeparated"
}

// write takes a piece of the result from the engine.
func (r *reply) write(piece []byte) error {
	if r.req.revision > 0 && strings.EqualFold(r.format(), "Native") {
		blocks, err := transcode(piece, r.req.revision)
		if err != nil {
			return err
		}
		piece = blocks
	}
	r.buffer.Write(piece)
	if r.buffer.Len() < held || r.req.whole {
		return nil
	}
	return r.flush()
}

// flush sends the head if it is not yet sent, then what is held back.
func (r *reply) flush() error {
	if r.sink == nil {
		if err := r.head(http.StatusOK); err != nil {
			return err
		}
	}
	err := r.send(r.buffer.Bytes())
	r.buffer.Reset()
	if err != nil {
		return fmt.Errorf("send the result: %w", err)
	}
	return http.NewResponseController(r.http).Flush()
}

// head sends status and headers and lays the compressions.
func (r *reply) head(status int) error {
	h := r.http.Header()
	h.Set("Content-Type", contentType(r.format()))
	h.Set("X-ClickHouse-Query-Id", r.req.id)
	h.Set("X-ClickHouse-Server-Display-Name", "devstack")
	h.Set("X-ClickHouse-Format", r.format())
	h.Set("X-ClickHouse-Timezone", "UTC")
	h.Set("X-ClickHouse-Exception-Tag", r.tag)
	h.Set("X-ClickHouse-Summary", r.summary())
	if r.req.encoding != "" {
		h.Set("Content-Encoding", r.req.encoding)
	}
	if r.req.compress != "" {
		method, err := compress.MethodString(r.req.compress)
		if err != nil {
			return fmt.Errorf("compress the answer: %w", err)
		}
		r.blocks = compress.NewWriter(compress.LevelZero, method)
	}
	r.http.WriteHeader(status)
	sink, err := encodeBody(r.req.encoding, r.http)
	r.sink = sink
	return err
}

// summary tells what the query did so far, as the server's header does: numbers in quotes.
func (r *reply) summary() string {
	return fmt.Sprintf(`{"read_rows":"%d","read_bytes":"%d","written_rows":"%d","written_bytes":"%d","total_rows_to_read":"0","result_rows":"%d","result_bytes":"%d","elapsed_ns":"%d"}`,
		r.stats.RowsRead, r.stats.BytesRead, r.stats.RowsWritten, r.stats.BytesWritten, r.stats.RowsWritten, r.stats.BytesWritten, time.Since(r.started).Nanoseconds())
}

// compressedBlock is how much goes into one of ClickHouse's compressed blocks.
const compressedBlock = 1 << 20

func (r *reply) send(data []byte) error {
	if r.blocks == nil {
		_, err := r.sink.Write(data)
		return err
	}
	for len(data) > 0 {
		n := min(len(data), compressedBlock)
		if err := r.blocks.Compress(data[:n]); err != nil {
			return err
		}
		if _, err := r.sink.Write(r.blocks.Data); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// finish sends what is left of a result that is complete.
func (r *reply) finish(stats engine.Stats) error {
	r.stats = stats
	if r.sink == nil && r.buffer.Len() == 0 {
		r.req.encoding = ""
	}
	if r.sink == nil {
		if err := r.head(http.StatusOK); err != nil {
			return err
		}
	}
	if err := r.send(r.buffer.Bytes()); err != nil {
		return fmt.Errorf("send the result: %w", err)
	}
	r.buffer.Reset()
	return r.sink.Close()
}

// fail answers with an exception: in the status and body where the head is not yet sent, else framed at the end of the body.
func (r *reply) fail(err error) {
	if r.failed {
		return
	}
	r.failed = true
	code, text := exception(err)
	text = fmt.Sprintf("%s (version %s)\n", text, r.version)
	r.buffer.Reset()
	if r.sink == nil {
		r.http.Header().Set("X-ClickHouse-Exception-Code", strconv.Itoa(code))
		r.req.statement.format, r.req.format = "TabSeparated", ""
		if r.head(httpStatus(code)) != nil {
			return
		}
	} else {
		text = fmt.Sprintf("\r\n__exception__\r\n%s\r\n%s%d %s\r\n__exception__\r\n", r.tag, text, len(text), r.tag)
	}
	// The client may be gone; there is nobody else to tell.
	_ = errors.Join(r.send([]byte(text)), r.sink.Close())
}

func encodeBody(encoding string, w io.Writer) (io.WriteCloser, error) {
	switch encoding {
	case "gzip":
		return gzip.NewWriter(w), nil
	case "deflate":
		return zlib.NewWriter(w), nil
	case "br":
		return brotli.NewWriterLevel(w, brotli.BestSpeed), nil
	case "zstd":
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	}
	return plain{w}, nil
}

// plain is a writer without an end of its own.
type plain struct{ io.Writer }

func (plain) Close() error { return nil }

// contentType is the media type of a format, where it has one.
func contentType(format string) string {
	switch name := strings.ToLower(format); {
	case strings.Contains(name, "eachrow"):
		return "application/x-ndjson; charset=UTF-8"
	case strings.HasPrefix(name, "json"):
		return "application/json; charset=UTF-8"
	case strings.HasPrefix(name, "csv"):
		return "text/csv; charset=UTF-8"
	case strings.HasPrefix(name, "tabseparated"), strings.HasPrefix(name, "tsv"):
		return "text/tab-separated-values; charset=UTF-8"
	case name == "native", name == "rowbinary", name == "parquet", strings.HasPrefix(name, "arrow"):
		return "application/octet-stream"
	}
	return "text/plain; charset=UTF-8"
}
