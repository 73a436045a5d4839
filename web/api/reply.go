package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"errata/metrics/ask"
)

// The headers that name the query behind a reply.
const (
	HeaderQuery           = "X-Errata-Query"            // file of the question, "loops.sql"
	HeaderQueryID         = "X-Errata-Query-Id"         // id that the database logs
	HeaderQueryParameters = "X-Errata-Query-Parameters" // JSON object of the query's parameters
)

// maxParametersHeader keeps a header below what proxies take.
const maxParametersHeader = 4 << 10

// NameQuery names the query behind a reply in its headers.
func NameQuery(h http.Header, q ask.Query) {
	h.Set(HeaderQuery, q.Name)
	if q.ID != "" {
		h.Set(HeaderQueryID, q.ID)
	}
	text, err := json.Marshal(q.Parameters)
	if err != nil || len(q.Parameters) == 0 {
		return
	}
	if text = ascii(text); len(text) > maxParametersHeader {
		text = []byte(`{"left_out":"too long for a header"}`)
	}
	h.Set(HeaderQueryParameters, string(text))
}

// ascii writes JSON without any other character.
func ascii(text []byte) []byte {
	var out bytes.Buffer
	for _, r := range string(text) {
		switch {
		case r < 0x80:
			out.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.Bytes()
}

// reply is a whole answer to a request, made before anything of it is sent.
type reply struct {
	status int // 0: 200
	kind   string
	file   string // name to save it under; "": it is not to be saved
	body   []byte
	query  ask.Query
}

func (r reply) send(w http.ResponseWriter) {
	h := w.Header()
	if r.query.Name != "" {
		NameQuery(h, r.query)
	}
	h.Set("Content-Type", r.kind)
	h.Set("Content-Length", strconv.Itoa(len(r.body)))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	if r.file != "" {
		h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", r.file))
	}
	if r.status != 0 {
		w.WriteHeader(r.status)
	}
	_, _ = w.Write(r.body)
}

const (
	kindJSON = "application/json; charset=utf-8"
	kindCSV  = "text/csv; charset=utf-8"
	kindText = "text/plain; charset=utf-8"
)

// asJSON is a reply of a value.
func asJSON(value any, q ask.Query) (reply, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return reply{}, fmt.Errorf("write the answer to %s: %w", q.Name, err)
	}
	return reply{kind: kindJSON, body: body.Bytes(), query: q}, nil
}
