package settings_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"errata/internal/settings"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestFlagsWinOverEnvironmentOverDefaults(t *testing.T) {
	set := settings.New("x", "about", env("A", "from-env", "B", "from-env", "SIZE", "2MiB"))
	a := set.String("a", "A", "default", "")
	b := set.String("b", "B", "default", "")
	c := set.String("c", "C", "default", "")
	size := set.Size("size", "SIZE", 5, "")
	limits := set.Limits()
	rest, err := set.Parse([]string{"-b", "from-flag", "-idle-limit", "45m", "file"}, &bytes.Buffer{}, "v")
	if err != nil {
		t.Fatal(err)
	}
	if *a != "from-env" || *b != "from-flag" || *c != "default" || *size != 2<<20 || *limits.Idle != 45*time.Minute {
		t.Errorf("got %s %s %s %d %s", *a, *b, *c, *size, *limits.Idle)
	}
	if len(rest) != 1 || rest[0] != "file" {
		t.Errorf("rest: %v", rest)
	}
}

func TestMistakesNameTheFlag(t *testing.T) {
	f := func(args []string, getenv func(string) string, want string) {
		t.Helper()
		set := settings.New("prog", "about", getenv)
		set.Size("size", "SIZE", 5, "")
		_, err := set.Parse(args, &bytes.Buffer{}, "v")
		var usage settings.UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want one line with %q", err, want)
		}
	}
	f([]string{"-size", "big"}, env(), "-size")
	f([]string{"-unknown"}, env(), "-unknown")
	f(nil, env("SIZE", "huge"), "SIZE")
}

func TestPrintConfigMasksSecrets(t *testing.T) {
	f := func(dsn, want string) {
		t.Helper()
		set := settings.New("prog", "about", env("ERRATA_CLICKHOUSE_DSN", dsn))
		set.ClickHouse()
		var out bytes.Buffer
		if _, err := set.Parse([]string{"-print-config"}, &out, "v"); !errors.Is(err, settings.ErrDone) {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "hunter2") || !strings.Contains(out.String(), want) {
			t.Errorf("printed %s", out.String())
		}
	}
	f("http://me:hunter2@host:8123/errata", "ERRATA_CLICKHOUSE_DSN=http://me:xxxxx@host:8123/errata")
	f("http://host:8123/errata?password=hunter2", "password=xxxxx")
	f("hunter2", "ERRATA_CLICKHOUSE_DSN=xxxxx")
}

func TestHelpNamesEverySetting(t *testing.T) {
	set := settings.New("prog", "prog does something.", env())
	set.Kafka()
	set.ClickHouse()
	set.Limits()
	var out bytes.Buffer
	if _, err := set.Parse([]string{"-help"}, &out, "v"); !errors.Is(err, settings.ErrDone) {
		t.Fatal(err)
	}
	for _, want := range []string{"prog does something.", "-kafka-brokers, ERRATA_KAFKA_BROKERS", "ERRATA_IDLE_LIMIT", "-print-config"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("help lacks %q:\n%s", want, out.String())
		}
	}
}
