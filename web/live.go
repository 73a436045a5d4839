package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"errata/metrics/ask"
	"errata/web/api"
	"errata/web/ui"
)

// Live says how pages follow what is ingested. A zero value of any of it stands for DefaultLive's.
type Live struct {
	// Every is how often ingest is looked at while anybody follows; all who follow share one look.
	Every time.Duration
	// Again is how often a page is read anew although nothing was ingested: what is maturing changes with time alone.
	Again time.Duration
	// Beat is how long a stream may be silent, so that no proxy takes it for dead.
	Beat time.Duration
	// Most is how many streams may be open at once.
	Most int
}

// DefaultLive is how pages follow where nothing else is said.
func DefaultLive() Live {
	return Live{Every: 2 * time.Second, Again: time.Minute, Beat: 15 * time.Second, Most: 64}
}

func (l Live) orDefault() Live {
	d := DefaultLive()
	if l.Every <= 0 {
		l.Every = d.Every
	}
	if l.Again <= 0 {
		l.Again = d.Again
	}
	if l.Beat <= 0 {
		l.Beat = d.Beat
	}
	if l.Most <= 0 {
		l.Most = d.Most
	}
	return l
}

// writeLimit is how long a reader may take to receive an event before its stream is given up.
const writeLimit = 10 * time.Second

// streams are the pages that follow now.
type streams struct {
	mu    sync.Mutex
	open  int
	ended bool
	end   chan struct{}

	looking sync.Mutex
	looked  time.Time
	seen    news
	err     error
}

// news is how far ingest has come, as a stream tells it.
type news struct {
	// Mark changes with everything that a page could show.
	Mark string `json:"mark"`
	// Again asks for the page to be read anew in any case.
	Again bool `json:"again,omitempty"`
	// Trouble says that the database does not answer.
	Trouble bool `json:"trouble,omitempty"`
}

// markOf is a text that changes where ingest has moved.
func markOf(h ask.Health) string {
	lag := int64(-1)
	if h.Lag != nil {
		lag = *h.Lag
	}
	return fmt.Sprintf("%d-%d-%d-%d-%d", h.Records, h.Rejected, h.Runs, h.Calls, lag)
}

// enter lets one more stream in where there is room.
func (s *streams) enter(most int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.open >= most {
		return false
	}
	s.open++
	return true
}

func (s *streams) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
}

// EndStreams ends the streams of pages that follow, and lets no more in. A server that shuts down waits for requests under
// way, and a stream never ends by itself.
func (s *Server) EndStreams() {
	s.streams.mu.Lock()
	defer s.streams.mu.Unlock()
	if !s.streams.ended {
		s.streams.ended = true
		close(s.streams.end)
	}
}

// look asks how far ingest has come, once for all who follow.
func (s *Server) look(ctx context.Context) (news, error) {
	st := &s.streams
	st.looking.Lock()
	defer st.looking.Unlock()
	if time.Since(st.looked) < s.cfg.Live.Every/2 {
		return st.seen, st.err
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.PanelTimeout)
	defer cancel()
	answer, err := s.cfg.Questions.Health(ctx)
	if ctx.Err() != nil && err != nil {
		return st.seen, err // of this reader alone, who may have left
	}
	st.looked, st.err = time.Now(), err
	if err == nil && len(answer.Rows) > 0 {
		st.seen = news{Mark: markOf(answer.Rows[0])}
	}
	return st.seen, st.err
}

// follow tells a page when to look again, until it leaves or the server ends.
func (s *Server) follow(w http.ResponseWriter, r *http.Request) {
	if s.cfg.Ready() != nil || !s.streams.enter(s.cfg.Live.Most) {
		w.Header().Set("Retry-After", "30")
		s.writeError(w, r, &api.Error{Status: http.StatusServiceUnavailable, Code: "no_room",
			Message: "as many pages follow as may, or the dashboard is starting or stopping; the page still shows what it shows, and asks again by itself"})
		return
	}
	defer s.streams.leave()
	s.counters.streams.Inc()
	defer s.counters.streams.Dec()
	out := &stream{w: w, control: http.NewResponseController(w)}
	if out.begin() != nil {
		return
	}
	if err := s.tell(r.Context(), out); err != nil && r.Context().Err() == nil {
		s.cfg.Log.Debug("a page stopped following", "error", err)
	}
}

// tell sends what is new, at first how things stand.
func (s *Server) tell(ctx context.Context, out *stream) error {
	live := s.cfg.Live
	every, again, beat := time.NewTicker(live.Every), time.NewTicker(live.Again), time.NewTicker(live.Beat)
	defer every.Stop()
	defer again.Stop()
	defer beat.Stop()
	var last news
	for first := true; ; first = false {
		now, err := s.look(ctx)
		now.Trouble = err != nil
		if ctx.Err() == nil && (first || now != last) {
			if err := out.send(now); err != nil {
				return err
			}
			last = now
		}
		if err := s.await(ctx, out, waits{every.C, again.C, beat.C}, last); err != nil {
			return err
		}
	}
}

// waits are the moments that a stream waits for.
type waits struct{ every, again, beat <-chan time.Time }

// errEnded is why a stream ended that the server ended.
var errEnded = fmt.Errorf("the server stops")

// await waits until it is time to look again, and keeps the stream alive meanwhile.
func (s *Server) await(ctx context.Context, out *stream, w waits, last news) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.streams.end:
			return errEnded
		case <-w.every:
			return nil
		case <-w.again:
			last.Again = true
			if err := out.send(last); err != nil {
				return err
			}
		case <-w.beat:
			if err := out.write(": still here\n\n"); err != nil {
				return err
			}
		}
	}
}

// stream is a response that is written bit by bit.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// begin sends the head. Each write has a limit of its own in place of the server's for whole answers.
func (o *stream) begin() error {
	h := o.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store, no-transform")
	h.Set("X-Accel-Buffering", "no") // a proxy that gathers what it passes on would hold events back
	if err := o.control.SetReadDeadline(time.Time{}); err != nil {
		return fmt.Errorf("lift the limit of reading: %w", err)
	}
	return o.write("retry: 3000\n\n")
}

func (o *stream) send(n news) error {
	text, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("write an event: %w", err)
	}
	return o.write("data: " + string(text) + "\n\n")
}

func (o *stream) write(text string) error {
	if err := o.control.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
		return fmt.Errorf("limit a write: %w", err)
	}
	if _, err := o.w.Write([]byte(text)); err != nil {
		return fmt.Errorf("write to a stream: %w", err)
	}
	if err := o.control.Flush(); err != nil {
		return fmt.Errorf("flush a stream: %w", err)
	}
	return nil
}

// followed says where a page hears of news. A page that shows a stretch that is over stands still.
func (q *request) followed(h ask.Health) *ui.Live {
	given := q.URL.Query()
	if given.Has("to") || given.Has("as_of") || q.Method != http.MethodGet {
		return nil
	}
	switch q.name {
	case "overview", "loops", "health":
		return &ui.Live{Stream: q.s.cfg.Base + "/live", Mark: markOf(h)}
	}
	return nil
}
