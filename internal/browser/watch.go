package browser

import (
	"fmt"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// watch takes down what goes wrong in a page.
type watch struct {
	origin string

	mu       sync.Mutex
	problems []string
	status   map[string]int64 // of documents, by address
	received float64          // bytes that came over the wire
}

// see is called with every event of the page.
func (w *watch) see(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		w.add("an exception: %s", exception(e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning || e.Type == runtime.ConsoleAPICalledTypeAssert {
			w.add("the console has a %s: %s", e.Type, arguments(e.Args))
		}
	case *log.EventEntryAdded:
		// A page that answers with an error on purpose is told of as a failed load of itself.
		if e.Entry.Level == log.EntryLevelError && !w.document(e.Entry.URL) {
			w.add("the log has an error: %s %s", e.Entry.Text, e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		if !w.own(e.Request.URL) {
			w.add("a request to another host: %s", e.Request.URL)
		}
	case *network.EventResponseReceived:
		if e.Type == network.ResourceTypeDocument {
			w.answered(e.Response.URL, e.Response.Status)
		}
	case *network.EventLoadingFinished:
		w.mu.Lock()
		w.received += e.EncodedDataLength
		w.mu.Unlock()
	case *page.EventJavascriptDialogOpening:
		w.add("a dialog opened: %s", e.Message)
	}
}

func (w *watch) own(address string) bool {
	return strings.HasPrefix(address, w.origin+"/") || strings.HasPrefix(address, "data:") || strings.HasPrefix(address, "blob:"+w.origin) || address == "about:blank"
}

func (w *watch) add(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.problems = append(w.problems, fmt.Sprintf(format, args...))
}

func (w *watch) answered(address string, status int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status[address] = status
}

// document says whether an address is one of the pages that were opened.
func (w *watch) document(address string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, known := w.status[address]
	return known
}

// take gives what went wrong since it was last asked.
func (w *watch) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := w.problems
	w.problems = nil
	return taken
}

func exception(d *runtime.ExceptionDetails) string {
	if d.Exception != nil && d.Exception.Description != "" {
		return d.Text + " " + d.Exception.Description
	}
	return d.Text
}

func arguments(args []*runtime.RemoteObject) string {
	var all []string
	for _, a := range args {
		all = append(all, string(a.Value)+a.Description)
	}
	return strings.Join(all, " ")
}
