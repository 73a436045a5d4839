package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// ShotsEnv names a folder for the pictures that tests take; without it they take none.
const ShotsEnv = "ERRATA_SCREENSHOTS"

// patience is how long a page may take for anything. It bounds a test that hangs, and measures nothing.
const patience = 60 * time.Second

// Page is one tab, with cookies of its own.
type Page struct {
	t     testing.TB
	ctx   context.Context
	watch *watch
	// Origin is the site's address without a path.
	Origin string
}

// forbidden collects what the content policy of a page forbids. It runs before anything of the page.
const forbidden = `window.violations = []; document.addEventListener("securitypolicyviolation", function (e) {
	window.violations.push(e.violatedDirective + " " + e.blockedURI + " " + e.sample); });`

// Open opens a tab for a site, which ends with the test. Nothing is loaded yet.
func Open(t testing.TB, origin string) *Page {
	t.Helper()
	browser, err := running(Need(t))
	if err != nil {
		t.Fatal(err)
	}
	p := &Page{t: t, Origin: strings.TrimSuffix(origin, "/"), watch: &watch{origin: strings.TrimSuffix(origin, "/"), status: map[string]int64{}}}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext(), chromedp.WithListener(p.watch.see))
	t.Cleanup(cancel)
	p.ctx = ctx
	p.do("open a tab", chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900)))
	_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	p.do("watch the log", err)
	_, err = chromedp.Call(ctx, network.Enable, network.EnableParams{})
	p.do("watch the network", err)
	_, err = chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: forbidden})
	p.do("watch the policy", err)
	return p
}

func (p *Page) do(what string, err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
}

// limited bounds one step.
func (p *Page) limited() (context.Context, context.CancelFunc) {
	return context.WithTimeout(p.ctx, patience)
}

// Go opens an address of the site and waits until it has loaded. It returns the status of the answer.
func (p *Page) Go(path string) int64 {
	p.t.Helper()
	ctx, cancel := p.limited()
	defer cancel()
	answer, err := chromedp.Run(ctx, chromedp.NavigateResponse(p.Origin+path))
	p.do("open "+path, err)
	return answer.Status
}

// Back goes back as the browser's button does.
func (p *Page) Back() {
	p.t.Helper()
	Eval[any](p, "(window.left = true, history.back())")
	p.Until("!window.left && document.readyState === 'complete'")
}

// For gives the same tab to another test, such as one inside the first.
func (p *Page) For(t testing.TB) *Page {
	other := *p
	other.t = t
	return &other
}

// Width makes the window that wide.
func (p *Page) Width(pixels int) {
	p.t.Helper()
	ctx, cancel := p.limited()
	defer cancel()
	p.do("set the width", chromedp.Do(ctx, chromedp.EmulateViewport(int64(pixels), 900)))
}

// Settle waits until the page has drawn what it has to draw.
func (p *Page) Settle() {
	p.t.Helper()
	Eval[any](p, "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))")
}

// Media shows the page as a medium, "screen" or "print", and as a reader with features such as
// "prefers-color-scheme" and its value would see it.
func (p *Page) Media(medium string, features ...string) {
	p.t.Helper()
	params := emulation.SetEmulatedMediaParams{Media: medium}
	for i := 0; i+1 < len(features); i += 2 {
		params.Features = append(params.Features, &emulation.MediaFeature{Name: features[i], Value: features[i+1]})
	}
	ctx, cancel := p.limited()
	defer cancel()
	_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, params)
	p.do("set the media", err)
}

// Scripts turns the page's scripts on or off, from the next page on.
func (p *Page) Scripts(on bool) {
	p.t.Helper()
	ctx, cancel := p.limited()
	defer cancel()
	_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
	p.do("turn scripts on or off", err)
}

// Press presses keys, one after the other, where the focus is. As with a keyboard, what a page does with the press of a key
// decides whether the key also writes.
func (p *Page) Press(keys string) {
	p.t.Helper()
	ctx, cancel := p.limited()
	defer cancel()
	for _, key := range keys {
		var down *input.DispatchKeyEventParams
		for _, event := range kb.Encode(key) {
			switch event.Type {
			case input.DispatchKeyEventTypeKeyUp:
				p.key(ctx, down)
				p.key(ctx, event)
			case input.DispatchKeyEventTypeChar:
				down.Type, down.Text, down.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, event.Text, event.UnmodifiedText
			default:
				down = event
			}
		}
	}
}

func (p *Page) key(ctx context.Context, event *input.DispatchKeyEventParams) {
	p.t.Helper()
	_, err := chromedp.Call(ctx, input.DispatchKeyEvent, *event)
	p.do("press "+event.Key, err)
}

// Click clicks the first element that fits, where the reader sees it.
func (p *Page) Click(selector string) {
	p.t.Helper()
	ctx, cancel := p.limited()
	defer cancel()
	p.do("click "+selector, chromedp.Do(ctx, chromedp.Click(chromedp.CSS(selector))))
}

// Eval gives the value of an expression in the page, a promise's once it is kept.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	ctx, cancel := p.limited()
	defer cancel()
	value, err := eval[T](ctx, expression)
	p.do("evaluate "+expression, err)
	return value
}

func eval[T any](ctx context.Context, expression string) (value T, err error) {
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string]("Promise.resolve("+expression+").then(v => JSON.stringify(v === undefined ? null : v))", chromedp.EvalAwaitPromise))
	if err != nil {
		return value, err
	}
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return value, fmt.Errorf("read %.200s: %w", text, err)
	}
	return value, nil
}

// Text is the text of the first element that fits, as it is read.
func (p *Page) Text(selector string) string {
	p.t.Helper()
	return Eval[string](p, "((document.querySelector("+Quote(selector)+") || {}).innerText || '').replace(/\\s+/g, ' ').trim()")
}

// Count is how many elements fit.
func (p *Page) Count(selector string) int {
	p.t.Helper()
	return Eval[int](p, "document.querySelectorAll("+Quote(selector)+").length")
}

// Quote writes a text as an expression.
func Quote(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted)
}

// Until waits until an expression is true, also across pages.
func (p *Page) Until(expression string) {
	p.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		ctx, cancel := p.limited()
		holds, err := eval[bool](ctx, "!!("+expression+")")
		cancel()
		if err == nil && holds {
			return
		}
	}
	p.t.Fatalf("never came true: %s\nat %s the page says: %.2000s", expression, Eval[string](p, "location.href"), p.Text("body"))
}

// Clean fails the test where anything went wrong in the page since it was last asked.
func (p *Page) Clean(where string) {
	p.t.Helper()
	for _, problem := range append(p.watch.take(), Eval[[]string](p, "window.violations || []")...) {
		p.t.Errorf("%s: %s", where, problem)
	}
}

// Received is how many bytes came over the wire so far.
func (p *Page) Received() int {
	p.watch.mu.Lock()
	defer p.watch.mu.Unlock()
	return int(p.watch.received)
}

// Shoot takes a picture of the whole page, where a folder is named for pictures.
func (p *Page) Shoot(name string) {
	p.t.Helper()
	dir := os.Getenv(ShotsEnv)
	if dir == "" {
		return
	}
	ctx, cancel := p.limited()
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	p.do("take a picture", err)
	p.do("keep a picture", os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644))
}
