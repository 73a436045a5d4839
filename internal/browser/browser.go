package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// RequireEnv makes a missing Chromium a failure where it is "1"; otherwise the tests that need it skip.
const RequireEnv = "ERRATA_REQUIRE_BROWSER"

// PathEnv names the program to use in place of the first that is found.
const PathEnv = "ERRATA_BROWSER"

// names are the programs that are looked for, in order.
func names() []string {
	if path := os.Getenv(PathEnv); path != "" {
		return []string{path}
	}
	return []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell",
		"/Applications/Chromium.app/Contents/MacOS/Chromium", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"}
}

func find() (string, error) {
	for _, name := range names() {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("left out: no Chromium is installed, so nothing is tried in a browser; install the package chromium, or name the program in " + PathEnv)
}

// Need gives the path of Chromium. Where there is none the test skips, or fails where ERRATA_REQUIRE_BROWSER=1.
func Need(t testing.TB) string {
	t.Helper()
	path, err := find()
	if err == nil {
		return path
	}
	missing(t, err)
	return ""
}

// missing skips the test, or fails it where nothing may be left out.
func missing(t testing.TB, err error) {
	t.Helper()
	if os.Getenv(RequireEnv) == "1" {
		t.Fatal(err)
	}
	t.Skip(err)
}

// shared is the one browser of a test binary. Every page has a profile of its own in it.
var shared struct {
	sync.Mutex
	ctx  context.Context
	stop context.CancelFunc
}

// Main runs the tests of a package and ends the browser that they shared.
func Main(m *testing.M) int {
	defer func() {
		shared.Lock()
		defer shared.Unlock()
		if shared.stop != nil {
			shared.stop()
		}
	}()
	return m.Run()
}

// running gives the shared browser and starts it where nobody has.
func running(path string) (context.Context, error) {
	shared.Lock()
	defer shared.Unlock()
	if shared.ctx != nil {
		return shared.ctx, nil
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.DisableGPU,
		chromedp.Flag("lang", "en"), chromedp.Flag("force-device-scale-factor", "1"), chromedp.Flag("force-prefers-reduced-motion", true),
		// Nothing but this machine is reachable, whatever the browser or a page would like to ask.
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses to run as root otherwise, as in a container
	}
	allocator, release := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	if err := chromedp.Do(ctx); err != nil {
		cancel()
		release()
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	shared.ctx, shared.stop = ctx, func() { cancel(); release() }
	return ctx, nil
}
