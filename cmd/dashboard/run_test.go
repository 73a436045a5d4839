package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"errata/internal/settings"
)

func nothing(string) string { return "" }

// refused runs the program and gives the one line that it refuses with.
func refused(t *testing.T, getenv func(string) string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	err := run(ctx, args, io.Discard, getenv)
	var usage settings.UsageError
	if !errors.As(err, &usage) {
		t.Errorf("%q: %v, want a usage error", args, err)
		return ""
	}
	return usage.Message
}

// A mistake in how the program is called is one line that names the flag and says how to mend it.
func TestMistakesNameTheFlag(t *testing.T) {
	f := func(want []string, args ...string) {
		t.Helper()
		got := refused(t, nothing, args...)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%q: %q lacks %q", args, got, w)
			}
		}
		if strings.Contains(got, "\n") {
			t.Errorf("%q: more than one line: %q", args, got)
		}
	}
	if got := exitCode(settings.Usagef("said on purpose by a test")); got != 2 {
		t.Errorf("a usage error exits with %d", got)
	}
	f([]string{"takes no arguments", `"file.json"`}, "file.json")
	f([]string{"-colour"}, "-colour", "red")
	f([]string{"-listen", "127.0.0.1:8080"}, "-listen", "8080")
	f([]string{"-listen", "free address"}, "-gallery", "-listen", "127.0.0.1:99999")
	f([]string{"-auth-basic", "name:password"}, "-auth-basic", "ann")
	f([]string{"-auth-basic", "name:password"}, "-auth-basic", "ann:")
	f([]string{"-behind-proxy", "leave out"}, "-behind-proxy", "-auth-token", "s3")
	f([]string{"-rules", "no-such-file"}, "-rules", "no-such-file")
	f([]string{"-question-timeout"}, "-question-timeout", "soon")
}

// An address that others reach is refused until somebody says who may look.
func TestListeningElsewhereNeedsAChoice(t *testing.T) {
	choices := [][]string{{"-auth-token", "s3"}, {"-auth-basic", "ann:pw"}, {"-behind-proxy"}}
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "example.org:80"} {
		if got := refused(t, nothing, "-gallery", "-listen", address); !strings.Contains(got, "-auth-basic") || !strings.Contains(got, "-auth-token") || !strings.Contains(got, "-behind-proxy") {
			t.Errorf("%s: %q does not name the choices", address, got)
		}
		for _, choice := range choices {
			if _, err := accessOf(t, append(choice, "-listen", address)...); err != nil {
				t.Errorf("%s with %q: %v", address, choice, err)
			}
		}
	}
	for _, address := range []string{"127.0.0.1:0", "localhost:0", "[::1]:0", "127.5.5.5:0"} {
		if _, err := accessOf(t, "-listen", address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// accessOf reads flags as far as who may look.
func accessOf(t *testing.T, args ...string) (any, error) {
	t.Helper()
	set := settings.New("dashboard", about, nothing)
	told := declare(set)
	if _, err := set.Parse(args, io.Discard, version); err != nil {
		t.Fatal(err)
	}
	return told.access()
}

func TestSettingsFromTheEnvironment(t *testing.T) {
	getenv := func(name string) string {
		return map[string]string{"ERRATA_DASHBOARD_LISTEN": "0.0.0.0:0", "ERRATA_AUTH_TOKEN": "", "ERRATA_CLICKHOUSE_DSN": "http://errata:geheim@127.0.0.1:1/errata"}[name]
	}
	if got := refused(t, getenv); !strings.Contains(got, "0.0.0.0:0") {
		t.Errorf("the environment is not read: %q", got)
	}
	var told strings.Builder
	if err := run(t.Context(), []string{"-print-config", "-auth-token", "s3cret"}, &told, getenv); !errors.Is(err, settings.ErrDone) || exitCode(err) != 0 {
		t.Errorf("print-config: %v", err)
	}
	for _, secret := range []string{"s3cret", "geheim"} {
		if strings.Contains(told.String(), secret) {
			t.Errorf("the settings show a secret:\n%s", told.String())
		}
	}
	if !strings.Contains(told.String(), "0.0.0.0:0") {
		t.Errorf("the settings lack what was set:\n%s", told.String())
	}
}

// serving starts the program on a free port and gives its address. It ends with the test, cleanly.
func serving(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, append([]string{"-listen", "127.0.0.1:0"}, args...), in, nothing)
		_ = in.CloseWithError(err)
		ended <- err
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the program ended with %v", err)
		}
	})
	line := make([]byte, 200)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	address, found := strings.CutPrefix(strings.TrimSpace(string(line[:n])), "dashboard: ")
	if !found {
		t.Fatalf("it prints %q", line[:n])
	}
	return address
}

func status(t *testing.T, address string, headers ...string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	return reply.StatusCode
}

func TestGalleryNeedsNoDatabase(t *testing.T) {
	address := serving(t, "-gallery")
	for _, path := range []string{"", "full/", "empty/loops", "hostile/codes/~invalid_status"} {
		if got := status(t, address+path); got != http.StatusOK {
			t.Errorf("%s: status %d", path, got)
		}
	}
}

func TestTheTokenIsAskedFor(t *testing.T) {
	address := serving(t, "-gallery", "-auth-token", "s3")
	if got := status(t, address+"full/"); got != http.StatusUnauthorized {
		t.Errorf("without a token: status %d", got)
	}
	if got := status(t, address+"full/", "Authorization", "Bearer s3"); got != http.StatusOK {
		t.Errorf("with the token: status %d", got)
	}
}

// A database that does not answer keeps nobody from starting: it is said, and alive is not the same as ready.
func TestStartingBeforeTheDatabase(t *testing.T) {
	address := serving(t, "-clickhouse-dsn", "http://default@127.0.0.1:1/errata")
	for path, want := range map[string]int{"healthz": 200, "readyz": 503, "": 503, "api/v1/loops": 503, "metrics": 200} {
		if got := status(t, address+path); got != want {
			t.Errorf("/%s: status %d, want %d", path, got, want)
		}
	}
}
