// Package settings reads what a program is told: from flags, else from the environment, else its defaults. Every program
// of Errata reads its settings through it, so that they all answer to -help, -version and -print-config alike.
package settings

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// ErrDone says that the program has printed what it was asked for (its help, version or settings) and should exit 0.
var ErrDone = errors.New("printed what was asked for")

// UsageError is a mistake in how a program was called. Programs print it as one line and exit 2.
type UsageError struct{ Message string }

func (e UsageError) Error() string { return e.Message }

// Usagef makes a UsageError, which should name the flag and the mend.
func Usagef(format string, args ...any) error { return UsageError{fmt.Sprintf(format, args...)} }

// Set is the settings of one program or sub-command.
type Set struct {
	name   string // "ingest send"
	about  string // what it does, and how it is called
	getenv func(string) string
	flags  *flag.FlagSet
	order  []entry
	wrong  error // the first value in the environment that does not fit
}

type entry struct {
	flag, env string
	secret    bool
}

// New makes an empty set. About is what -help prints first: what the program does and how it is called.
func New(name, about string, getenv func(string) string) *Set {
	s := &Set{name: name, about: about, getenv: getenv, flags: flag.NewFlagSet(name, flag.ContinueOnError)}
	s.flags.SetOutput(io.Discard)
	s.flags.Usage = func() {}
	return s
}

// String declares a text setting. Env may be "": then there is no variable for it.
func (s *Set) String(name, env, value, usage string) *string {
	target := s.flags.String(name, value, usage)
	s.declare(name, env)
	return target
}

// Secret declares a text setting that -print-config masks; of a URL only its password.
func (s *Set) Secret(name, env, value, usage string) *string {
	target := s.String(name, env, value, usage)
	s.order[len(s.order)-1].secret = true
	return target
}

// Bool declares a switch.
func (s *Set) Bool(name, env string, value bool, usage string) *bool {
	target := s.flags.Bool(name, value, usage)
	s.declare(name, env)
	return target
}

// Int declares a number.
func (s *Set) Int(name, env string, value int, usage string) *int {
	target := s.flags.Int(name, value, usage)
	s.declare(name, env)
	return target
}

// Duration declares a duration such as 30m.
func (s *Set) Duration(name, env string, value time.Duration, usage string) *time.Duration {
	target := s.flags.Duration(name, value, usage)
	s.declare(name, env)
	return target
}

// Size declares a number of bytes such as 900KiB or 16MiB.
func (s *Set) Size(name, env string, value int, usage string) *int {
	target := new(size)
	*target = size(value)
	s.flags.Var(target, name, usage)
	s.declare(name, env)
	return (*int)(target)
}

// declare takes the value from the environment where there is one.
func (s *Set) declare(name, env string) {
	s.order = append(s.order, entry{flag: name, env: env})
	if env == "" {
		return
	}
	value := s.getenv(env)
	if value == "" {
		return
	}
	if err := s.flags.Set(name, value); err != nil && s.wrong == nil {
		s.wrong = Usagef("%s: the environment variable %s is %q: %v", s.name, env, value, plain(err))
	}
}

// Parse reads the arguments and gives what is left of them. Where help, version or settings were asked for it prints
// them and gives ErrDone; a mistake is a UsageError.
func (s *Set) Parse(args []string, out io.Writer, version string) ([]string, error) {
	showVersion := s.flags.Bool("version", false, "print the version and exit")
	showConfig := s.flags.Bool("print-config", false, "print the effective settings, secrets masked, and exit")
	err := s.flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		s.help(out)
		return nil, ErrDone
	}
	if err != nil {
		return nil, Usagef("%s: %v; see %s -help", s.name, plain(err), s.name)
	}
	if *showVersion {
		fmt.Fprintf(out, "errata %s\n", version)
		return nil, ErrDone
	}
	if s.wrong != nil {
		return nil, s.wrong
	}
	if *showConfig {
		s.print(out)
		return nil, ErrDone
	}
	return s.flags.Args(), nil
}

func (s *Set) help(out io.Writer) {
	fmt.Fprintf(out, "%s\n\nSettings, by flag or else by environment variable:\n\n", strings.TrimSpace(s.about))
	for _, e := range s.order {
		f := s.flags.Lookup(e.flag)
		fmt.Fprintf(out, "  -%s", e.flag)
		if e.env != "" {
			fmt.Fprintf(out, ", %s", e.env)
		}
		fmt.Fprintf(out, "\n        %s", f.Usage)
		if f.DefValue != "" && f.DefValue != "false" {
			fmt.Fprintf(out, " (default %s)", f.DefValue)
		}
		fmt.Fprintln(out)
	}
	fmt.Fprint(out, "  -version\n        print the version and exit\n  -print-config\n        print the effective settings, secrets masked, and exit\n")
}

func (s *Set) print(out io.Writer) {
	for _, e := range s.order {
		value := s.flags.Lookup(e.flag).Value.String()
		if e.secret {
			value = mask(value)
		}
		name := e.env
		if name == "" {
			name = "-" + e.flag
		}
		fmt.Fprintf(out, "%s=%s\n", name, value)
	}
}

const masked = "xxxxx"

// mask hides a secret: of a URL its password, wherever it stands, of anything else all.
func mask(value string) string {
	if value == "" {
		return ""
	}
	u, err := url.Parse(value)
	if err != nil || u.Host == "" {
		return masked
	}
	if query := u.Query(); query.Has("password") {
		query.Set("password", masked)
		u.RawQuery = query.Encode()
	}
	return u.Redacted()
}

// plain shortens the flag package's wording of a value that does not fit.
func plain(err error) string {
	return strings.TrimPrefix(err.Error(), "flag: ")
}

// size is a number of bytes as a flag.
type size int

var units = []struct {
	suffix string
	factor int
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}

func (v *size) String() string {
	for _, unit := range units {
		if n := int(*v); n != 0 && n%unit.factor == 0 {
			return strconv.Itoa(n/unit.factor) + unit.suffix
		}
	}
	return "0"
}

func (v *size) Set(text string) error {
	number, factor := text, 1
	for _, unit := range units {
		if rest, ok := strings.CutSuffix(text, unit.suffix); ok {
			number, factor = rest, unit.factor
			break
		}
	}
	n, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil || n < 0 {
		return errors.New("a size is a number with B, KiB, MiB or GiB behind it, as in 16MiB")
	}
	*v = size(n * factor)
	return nil
}
