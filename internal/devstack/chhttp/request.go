package chhttp

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/ClickHouse/ch-go/compress"
	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"errata/internal/devstack/engine"
)

// maxQuery bounds the text of a query; the rows of an INSERT are not part of it.
const maxQuery = 256 << 20

// peek is how much of a body is read before it is decided whether rows follow the query in it.
const peek = 1 << 20

// request is one HTTP request, understood.
type request struct {
	statement
	id       string
	session  engine.SessionOptions
	params   []engine.Param
	format   string
	rows     io.Reader
	revision uint64
	// compress is the method of ClickHouse's own blocks, or "".
	compress string
	// encoding is the HTTP content encoding of the answer, or "".
	encoding string
	// whole holds the answer back until it is complete.
	whole bool
}

// requestError is a refusal that this interface makes itself, with ClickHouse's code for it.
type requestError struct {
	code int
	text string
}

func (e *requestError) Error() string { return e.text }

func refuse(code int, format string, args ...any) error {
	return &requestError{code: code, text: fmt.Sprintf(format, args...)}
}

// reserved are the parameters that mean something to the interface; every other one is a setting of the query.
var reserved = map[string]bool{
	"query": true, "database": true, "default_format": true, "compress": true, "decompress": true, "user": true,
	"password": true, "quota_key": true, "query_id": true, "stacktrace": true, "client_protocol_version": true,
	"wait_end_of_query": true, "buffer_size": true, "role": true, "session_check": true, "session_timeout": true,
	"close_session": true, "session_id": true, "http_native_compression_disable_checksumming_on_decompress": true,
	"framed_data_format": true,
}

// readRequest understands a request as far as it goes without running it.
func readRequest(r *http.Request) (*request, error) {
	q := r.URL.Query()
	if err := checkUser(r, q); err != nil {
		return nil, err
	}
	if q.Get("session_id") != "" {
		return nil, refuse(codeNotImplemented, "devstack keeps no sessions: leave out session_id")
	}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data") {
		return nil, refuse(codeNotImplemented, "devstack takes no external tables (multipart/form-data): put the values into the query or a table")
	}
	req := &request{id: q.Get("query_id"), whole: q.Get("wait_end_of_query") == "1"}
	if err := req.readURL(q); err != nil {
		return nil, err
	}
	req.encoding = acceptedEncoding(r, q)
	body, err := requestBody(r, q)
	if err != nil {
		return nil, err
	}
	if err := req.readQuery(q.Get("query"), body); err != nil {
		return nil, err
	}
	return req, req.check(r.Method)
}

// checkUser lets in the one user there is.
func checkUser(r *http.Request, q url.Values) error {
	user, password := q.Get("user"), q.Get("password")
	if name, pass, ok := r.BasicAuth(); ok {
		user, password = name, pass
	}
	if name := r.Header.Get("X-ClickHouse-User"); name != "" {
		user, password = name, r.Header.Get("X-ClickHouse-Key")
	}
	if (user == "" || user == "default") && password == "" {
		return nil
	}
	return refuse(codeAuthentication, "%s: Authentication failed: password is incorrect, or there is no user with such name. devstack has only the user default with an empty password. (AUTHENTICATION_FAILED)", user)
}

func (req *request) readURL(q url.Values) error {
	req.session.Database, req.format = q.Get("database"), q.Get("default_format")
	if version := q.Get("client_protocol_version"); version != "" {
		revision, err := strconv.ParseUint(version, 10, 32)
		if err != nil {
			return refuse(codeWrongParameter, "client_protocol_version=%q is no number", version)
		}
		req.revision = revision
	}
	if q.Get("compress") == "1" {
		req.compress = strings.ToUpper(q.Get("network_compression_method"))
		if req.compress == "" {
			req.compress = "LZ4"
		}
		if _, err := compress.MethodString(req.compress); err != nil {
			return refuse(codeWrongParameter, "network_compression_method=%q is not among LZ4, LZ4HC, ZSTD, NONE", req.compress)
		}
	}
	names := make([]string, 0, len(q))
	for name := range q {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		value := q[name][len(q[name])-1]
		if param, ok := strings.CutPrefix(name, "param_"); ok {
			req.params = append(req.params, engine.Param{Name: param, Value: value})
			continue
		}
		if !reserved[name] {
			req.session.Settings = append(req.session.Settings, engine.Setting{Name: name, Value: value})
		}
	}
	return nil
}

// requestBody undoes what the body was compressed with: the HTTP content encoding first, then ClickHouse's blocks.
func requestBody(r *http.Request, q url.Values) (io.Reader, error) {
	body, err := decodeBody(r.Header.Get("Content-Encoding"), r.Body)
	if err != nil {
		return nil, refuse(codeWrongParameter, "read the request's body: %v", err)
	}
	if q.Get("decompress") == "1" {
		return compress.NewReader(body), nil
	}
	return body, nil
}

func decodeBody(encoding string, body io.Reader) (io.Reader, error) {
	switch encoding {
	case "", "identity":
		return body, nil
	case "gzip":
		return gzip.NewReader(body)
	case "deflate":
		return zlib.NewReader(body)
	case "br":
		return brotli.NewReader(body), nil
	case "zstd":
		return zstd.NewReader(body, zstd.WithDecoderConcurrency(1))
	}
	return nil, fmt.Errorf("content encoding %q is not among gzip, deflate, br, zstd", encoding)
}

// acceptedEncoding picks the answer's content encoding.
func acceptedEncoding(r *http.Request, q url.Values) string {
	if q.Get("enable_http_compression") == "0" || q.Get("enable_http_compression") == "false" {
		return ""
	}
	accepted := r.Header.Get("Accept-Encoding")
	for _, encoding := range []string{"br", "zstd", "gzip", "deflate"} {
		if strings.Contains(accepted, encoding) {
			return encoding
		}
	}
	return ""
}

// readQuery puts the query together out of the URL and the body, and leaves the rows of an INSERT in the body.
func (req *request) readQuery(fromURL string, body io.Reader) error {
	if req.statement = parse(fromURL); req.inserts {
		req.rows = io.MultiReader(strings.NewReader(req.inline), body)
		return nil
	}
	text := fromURL
	if text != "" {
		text += "\n"
	}
	head, err := io.ReadAll(io.LimitReader(body, peek))
	if err != nil {
		return refuse(codeNetwork, "read the query: %v", err)
	}
	if req.statement = parse(text + string(head)); req.inserts {
		req.rows = io.MultiReader(strings.NewReader(req.inline), body)
		return nil
	}
	rest, err := io.ReadAll(io.LimitReader(body, maxQuery+1))
	if err != nil {
		return refuse(codeNetwork, "read the query: %v", err)
	}
	if len(rest) > maxQuery {
		return refuse(223, "the query is longer than %d bytes", maxQuery)
	}
	if len(rest) > 0 {
		req.statement = parse(text + string(bytes.Join([][]byte{head, rest}, nil)))
	}
	return nil
}

var readVerbs = regexp.MustCompile(`^(SELECT|WITH|\(|SHOW|DESC|DESCRIBE|EXPLAIN|EXISTS|CHECK|SET|USE|KILL|FROM)$`)

// check refuses what a server refuses before it runs a query.
func (req *request) check(method string) error {
	switch {
	case strings.TrimSpace(req.text) == "":
		return refuse(codeSyntaxError, "Syntax error: failed at position 1 (end of query): Empty query. (SYNTAX_ERROR)")
	case req.many:
		return refuse(codeSyntaxError, "Syntax error (Multi-statements are not allowed). (SYNTAX_ERROR)")
	case req.outfile:
		return refuse(codeNoOutfile, "INTO OUTFILE is not allowed. (INTO_OUTFILE_NOT_ALLOWED)")
	case method != http.MethodPost && req.verb != "" && !readVerbs.MatchString(req.verb):
		return refuse(codeReadonly, "Cannot execute query in readonly mode. For queries over HTTP, method GET implies readonly. You should use method POST for modifying queries. (READONLY)")
	}
	return nil
}

// exception gives an error ClickHouse's code and text.
func exception(err error) (int, string) {
	var failure *engine.Error
	if errors.As(err, &failure) {
		return failure.Code, failure.Text
	}
	var refused *requestError
	if errors.As(err, &refused) {
		return refused.code, fmt.Sprintf("Code: %d. DB::Exception: %s", refused.code, refused.text)
	}
	return codeUnknownException, fmt.Sprintf("Code: %d. DB::Exception: %v", codeUnknownException, err)
}
