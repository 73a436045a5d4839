package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Options says which engine to run and on what.
type Options struct {
	// Library is the path of libchdb.
	Library string
	// Dir holds the data; it is made where it is missing.
	Dir string
	// Concurrency is how many statements run at once; more of them wait. 0 means 64.
	Concurrency int
}

// Engine is the running ClickHouse engine. A process can have one, on one directory.
type Engine struct {
	lib     *library
	args    []string
	version string
	lock    *os.File
	slots   chan struct{}

	// keeper is a connection that stays open, since the engine stops with its last one; it also cancels statements.
	keeper      *conn
	keeperMutex sync.Mutex
}

// backgroundPool gives merges and mutations room. With the two threads that the engine gives itself on a small machine a
// mutation after a pause waits about a second until it is taken up.
const backgroundPool = "--background_pool_size=8"

// Open starts the engine on a directory that no other process uses.
func Open(o Options) (*Engine, error) {
	if o.Concurrency <= 0 {
		o.Concurrency = 64
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("find the data directory %s: %w", o.Dir, err)
	}
	lock, err := lockDir(dir)
	if err != nil {
		return nil, err
	}
	e := &Engine{args: []string{"--path=" + filepath.Join(dir, "engine"), backgroundPool}, lock: lock, slots: make(chan struct{}, o.Concurrency)}
	if err := e.start(o.Library); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return e, nil
}

func (e *Engine) start(path string) error {
	lib, err := load(path)
	if err != nil {
		return err
	}
	// The Go runtime needs its own handlers for SIGSEGV and its like, so the engine must install none.
	lib.setSignalHandlers(0)
	keeper, err := connect(lib, e.args)
	if err != nil {
		return err
	}
	var version strings.Builder
	if _, err := keeper.run("SELECT version()", "TSVRaw", nil, func(b []byte) error { version.Write(b); return nil }); err != nil {
		keeper.close()
		return fmt.Errorf("ask the ClickHouse engine for its version: %w", err)
	}
	e.lib, e.keeper, e.version = lib, keeper, strings.TrimSpace(version.String())
	return nil
}

// lockDir keeps a second process off the directory; the lock ends with the process however it ends.
func lockDir(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the lock of the data directory: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("another devstack uses %s; stop it or choose another -dir: %w", dir, err), lock.Close())
	}
	return lock, nil
}

// Version is the ClickHouse version that the engine speaks for.
func (e *Engine) Version() string { return e.version }

// Close stops the engine once the statements under way have ended or ctx has.
func (e *Engine) Close(ctx context.Context) error {
	for range cap(e.slots) {
		select {
		case e.slots <- struct{}{}:
		case <-ctx.Done():
			// Closing under a running statement can abort the process, and what is acknowledged is stored anyway.
			return fmt.Errorf("wait for the statements under way: %w", ctx.Err())
		}
	}
	e.keeperMutex.Lock()
	defer e.keeperMutex.Unlock()
	e.keeper.close()
	e.lib.shutdown()
	return e.lock.Close()
}

// kill cancels the statements that carry the tag. Those that have not begun yet, or are past the point where they look,
// are not met, so the caller repeats it.
func (e *Engine) kill(tag string) {
	e.keeperMutex.Lock()
	defer e.keeperMutex.Unlock()
	// Failing to cancel only means that the statement runs to its end.
	_, _ = e.keeper.run("KILL QUERY WHERE Settings['"+tagSetting+"'] = {tag:String} ASYNC", "Null", []Param{{"tag", tag}}, nil)
}

// killEvery is how long to wait before cancelling again what still runs.
const killEvery = 100 * time.Millisecond

// during runs fn, which blocks in the engine, and cancels it by its tag when ctx ends first.
func (e *Engine) during(ctx context.Context, tag string, fn func()) {
	finished, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-finished:
			return
		case <-ctx.Done():
		}
		for tag != "" {
			e.kill(tag)
			select {
			case <-finished:
				return
			case <-time.After(killEvery):
			}
		}
	}()
	fn()
	close(finished)
	<-watched
}
