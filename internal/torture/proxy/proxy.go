// Package proxy stands between a program and ClickHouse's HTTP interface in tests, and fails in the ways in which a
// server does.
package proxy

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// Fault is a way to fail.
type Fault string

// The faults.
const (
	None     Fault = ""          // everything passes
	Down     Fault = "down"      // connections are cut at once
	Slow     Fault = "slow"      // every answer takes a while
	Hang     Fault = "hang"      // nothing is ever answered
	ReadOnly Fault = "read-only" // inserts are refused as by a replica that has lost its keeper
	DiskFull Fault = "disk full" // inserts are refused
	Busy     Fault = "busy"      // everything is refused as by a server with too many queries
	Lost     Fault = "lost"      // inserts are done, and their answers lost
)

// slowness is how long an answer takes of a server that is slow.
const slowness = 400 * time.Millisecond

// Proxy passes requests on, unless told to fail.
type Proxy struct {
	// Addr is where it listens.
	Addr string

	target string
	mu     sync.Mutex
	fault  Fault
	struck int
	lifted context.CancelFunc
	until  context.Context
}

// Start runs a proxy before host:port until the test ends.
func Start(t testing.TB, target string) *Proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{Addr: listener.Addr().String(), target: target}
	p.Set(None)
	server := &http.Server{Handler: p, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() {
		p.Set(None)
		_ = server.Close()
	})
	return p
}

// Set changes how requests fail from now on; those that hang end.
func (p *Proxy) Set(fault Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lifted != nil {
		p.lifted()
	}
	p.until, p.lifted = context.WithCancel(context.Background())
	p.fault, p.struck = fault, 0
}

// Struck is how many requests the present fault has met.
func (p *Proxy) Struck() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.struck
}

// ServeHTTP passes a request on or fails.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	insert := r.Method == http.MethodPost && r.URL.Query().Has("query") // its body is the data
	p.mu.Lock()
	fault, until := p.fault, p.until
	if fault != None && (insert || fault != ReadOnly && fault != DiskFull && fault != Lost) {
		p.struck++
	}
	p.mu.Unlock()
	switch fault {
	case Down:
		panic(http.ErrAbortHandler)
	case Hang:
		select {
		case <-until.Done():
		case <-r.Context().Done():
		}
		panic(http.ErrAbortHandler)
	case Slow:
		time.Sleep(slowness)
	case Busy:
		refuse(w, 202, "TOO_MANY_SIMULTANEOUS_QUERIES")
		return
	case ReadOnly, DiskFull:
		if insert && fault == ReadOnly {
			refuse(w, 242, "TABLE_IS_READ_ONLY")
			return
		}
		if insert {
			refuse(w, 243, "NOT_ENOUGH_SPACE")
			return
		}
	}
	p.pass(w, r, fault == Lost && insert)
}

// refuse answers as the server does.
func refuse(w http.ResponseWriter, code int, name string) {
	w.Header().Set("X-ClickHouse-Exception-Code", fmt.Sprint(code))
	w.WriteHeader(http.StatusInternalServerError)
	fmt.Fprintf(w, "Code: %d. DB::Exception: not now. (%s) (version 26.7.3)\n", code, name)
}

func (p *Proxy) pass(w http.ResponseWriter, r *http.Request, lose bool) {
	out := r.Clone(r.Context())
	out.URL.Scheme, out.URL.Host, out.RequestURI = "http", p.target, ""
	response, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer response.Body.Close()
	if lose {
		_, _ = io.Copy(io.Discard, response.Body)
		panic(http.ErrAbortHandler)
	}
	for name, values := range response.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(response.StatusCode)
	_, _ = io.Copy(w, response.Body)
}
