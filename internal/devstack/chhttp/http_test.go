package chhttp_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"errata/internal/devstack/devtest"
)

// ask sends one request as any HTTP client would and returns status, headers and body.
func ask(t *testing.T, dsn, method string, query url.Values, body string) (int, http.Header, string) {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	if !query.Has("database") {
		query.Set("database", strings.Trim(u.Path, "/"))
	}
	u.Path, u.RawQuery, u.User = "/", query.Encode(), nil
	req, err := http.NewRequestWithContext(t.Context(), method, u.String(), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(got)
}

func TestRequestsOfAnyClient(t *testing.T) {
	dsn := devtest.ClickHouse(t)
	v := func(pairs ...string) url.Values {
		values := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			values.Set(pairs[i], pairs[i+1])
		}
		return values
	}
	steps := []struct {
		name, method string
		query        url.Values
		body         string
		status       int
		want         string
	}{
		{"query in the URL", "GET", v("query", "SELECT 1, 'a'"), "", 200, "1\ta\n"},
		{"query in the body", "POST", v(), "SELECT 1 FORMAT CSV", 200, "1\n"},
		{"query in both", "POST", v("query", "SELECT"), "2", 200, "2\n"},
		{"default format", "POST", v("default_format", "JSONEachRow"), "SELECT 1 AS a", 200, "{\"a\":1}\n"},
		{"head of a format comes once", "POST", v("default_format", "CSVWithNames", "max_block_size", "1"), "SELECT number FROM numbers(3)", 200, "\"number\"\n0\n1\n2\n"},
		{"parameter", "POST", v("param_x", "5"), "SELECT {x:UInt8} + 1", 200, "6\n"},
		{"setting", "POST", v("max_threads", "3"), "SELECT toUInt8(getSetting('max_threads'))", 200, "3\n"},
		{"make a table", "POST", v(), "CREATE TABLE t (a UInt8, b String) ENGINE = MergeTree ORDER BY a", 200, ""},
		{"rows in the body", "POST", v("query", "INSERT INTO t FORMAT CSV"), "1,x\n2,y\n", 200, ""},
		{"rows behind the query", "POST", v(), "INSERT INTO t FORMAT JSONEachRow\n{\"a\":3,\"b\":\"z\"}", 200, ""},
		{"values in the body", "POST", v("query", "INSERT INTO t VALUES"), "(4, upper('w'))", 200, ""},
		{"all of them", "POST", v(), "SELECT groupArray(concat(toString(a), b)) FROM (SELECT * FROM t ORDER BY a)", 200, "['1x','2y','3z','4W']\n"},
		{"a bad row", "POST", v("query", "INSERT INTO t FORMAT CSV"), "5,x\nsix,y\n", 400, "Code: 27."},
		{"stores nothing of its block", "POST", v(), "SELECT count() FROM t", 200, "4\n"},
		{"GET changes nothing", "GET", v("query", "DROP TABLE t"), "", 500, "Code: 164."},
		{"unknown setting", "POST", v("nosuch", "1"), "SELECT 1", 404, "Code: 115."},
		{"unknown user", "POST", v("user", "somebody"), "SELECT 1", 403, "Code: 516."},
		{"unknown database", "POST", v("database", "nosuch"), "SELECT 1", 404, "Code: 81."},
		{"no query", "POST", v(), "", 400, "Code: 62."},
		{"outfile", "POST", v(), "SELECT 1 INTO OUTFILE 'x'", 500, "Code: 358."},
		{"session", "POST", v("session_id", "s"), "SELECT 1", 501, "Code: 48."},
		{"temporary tables end with their request", "POST", v(), "CREATE TEMPORARY TABLE tmp (a UInt8)", 200, ""},
		{"so it is gone", "POST", v(), "SELECT * FROM tmp", 404, "Code: 60."},
	}
	for _, s := range steps {
		t.Run(s.name, func(t *testing.T) {
			status, header, body := ask(t, dsn, s.method, s.query, s.body)
			if status != s.status || status == 200 && body != s.want || !strings.HasPrefix(body, s.want) {
				t.Errorf("got %d %q, want %d %q", status, body, s.status, s.want)
			}
			if code := header.Get("X-ClickHouse-Exception-Code"); status != 200 && !strings.HasPrefix(s.want, "Code: "+code+".") {
				t.Errorf("header says code %q, body %q", code, body)
			}
		})
	}
}

func TestHeadersOfAnAnswer(t *testing.T) {
	dsn := devtest.ClickHouse(t)
	ask(t, dsn, "POST", url.Values{}, "CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a")
	_, header, _ := ask(t, dsn, "POST", url.Values{"query_id": {"my-query"}}, "INSERT INTO t VALUES (1), (2)")
	if header.Get("X-ClickHouse-Query-Id") != "my-query" || !strings.Contains(header.Get("X-ClickHouse-Summary"), `"written_rows":"2"`) {
		t.Errorf("got %v", header)
	}
	_, header, _ = ask(t, dsn, "POST", url.Values{}, "SELECT * FROM t FORMAT JSON")
	if header.Get("X-ClickHouse-Format") != "JSON" || !strings.HasPrefix(header.Get("Content-Type"), "application/json") {
		t.Errorf("got %v", header)
	}
}

func TestPing(t *testing.T) {
	base := dsnHost(t, devtest.ClickHouse(t))
	for path, want := range map[string]int{"/ping": 200, "/replicas_status": 200, "/": 200, "/nosuch": 404} {
		resp, err := http.Get("http://" + base + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != want || want == 200 && string(body) != "Ok.\n" {
			t.Errorf("%s: %d %q, want %d", path, resp.StatusCode, body, want)
		}
	}
}

func dsnHost(t *testing.T, dsn string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

func TestABodyThatBreaksOffStoresNothing(t *testing.T) {
	dsn := devtest.ClickHouse(t)
	ask(t, dsn, "POST", url.Values{}, "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a")
	database := dsn[strings.LastIndex(dsn, "/")+1:]
	for range 5 {
		conn, err := net.Dial("tcp", dsnHost(t, dsn))
		if err != nil {
			t.Fatal(err)
		}
		rows := strings.Repeat("1\n", 1000)
		_, err = fmt.Fprintf(conn, "POST /?database=%s&query=INSERT+INTO+t+FORMAT+CSV HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", database, len(rows), rows)
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
	}
	await(t, "the inserts to end", func() bool {
		_, _, body := ask(t, dsn, "POST", url.Values{}, "SELECT count() FROM system.processes WHERE query LIKE 'INSERT%' AND current_database = currentDatabase()")
		return body == "0\n"
	})
	if _, _, body := ask(t, dsn, "POST", url.Values{}, "SELECT count() FROM t"); body != "0\n" {
		t.Errorf("%s rows of bodies that broke off", strings.TrimSpace(body))
	}
}
