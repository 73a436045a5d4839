package main

import (
	"net"
	"strings"
	"time"

	"errata/internal/settings"
	"errata/metrics"
	"errata/metrics/ask"
	"errata/transcript"
	"errata/web"
)

const about = `
dashboard serves the pages and the API of Errata from ClickHouse. It may be started before the database answers: it
waits, makes what tables are missing, and says so meanwhile.

    dashboard [settings]

Without a login it answers on this machine alone. To listen elsewhere give -auth-basic or -auth-token, or -behind-proxy
where a proxy in front decides who may look.`

// told is everything that the dashboard is told.
type told struct {
	clickhouse           settings.ClickHouse
	limits               settings.Limits
	rules, prices, codes *string
	listen               *string
	timeout              *time.Duration
	migrate, gallery     *bool
	token, basic         *string
	behindProxy          *bool
}

func declare(set *settings.Set) told {
	return told{
		listen:      set.String("listen", "ERRATA_DASHBOARD_LISTEN", "127.0.0.1:8080", "the address of the pages"),
		clickhouse:  set.ClickHouse(),
		limits:      set.Limits(),
		rules:       set.File("rules", "ERRATA_RULES", "file with rules, as ingest has it; empty: the defaults"),
		prices:      set.File("prices", "ERRATA_PRICES", "file with the prices of models; empty: the shipped list"),
		codes:       set.File("codes", "ERRATA_CODES", "file with the registry of error codes; empty: none"),
		timeout:     set.Duration("question-timeout", "", 20*time.Second, "a part of a page that takes longer is given up"),
		migrate:     set.Bool("migrate", "", true, "make or update the tables first"),
		gallery:     set.Bool("gallery", "", false, "serve every page in every state from made-up data, without a database"),
		token:       set.Secret("auth-token", "ERRATA_AUTH_TOKEN", "", "let in who sends this token, as bearer token or as password"),
		basic:       set.Secret("auth-basic", "ERRATA_AUTH_BASIC", "", "let in who logs in with this name and password, as name:password"),
		behindProxy: set.Bool("behind-proxy", "", false, "let everybody in: a proxy in front decides, and names them in X-Forwarded-User"),
	}
}

// access says who may look. An address that others reach needs a login.
func (t told) access() (web.Access, error) {
	a := web.Access{Token: *t.token, BehindProxy: *t.behindProxy}
	if *t.basic != "" {
		user, password, found := strings.Cut(*t.basic, ":")
		if !found || user == "" || password == "" {
			return a, settings.Usagef("-auth-basic: give a name and a password with a colon between them, as name:password")
		}
		a.User, a.Password = user, password
	}
	if a.BehindProxy && (a.Token != "" || a.User != "") {
		return a, settings.Usagef("-behind-proxy: leaves the login to a proxy; leave out -auth-token and -auth-basic, or leave out -behind-proxy")
	}
	host, _, err := net.SplitHostPort(*t.listen)
	if err != nil {
		return a, settings.Usagef("-listen %s: give an address and a port, such as 127.0.0.1:8080", *t.listen)
	}
	ip := net.ParseIP(host)
	local := host == "localhost" || ip != nil && ip.IsLoopback()
	if !local && !a.BehindProxy && a.Token == "" && a.User == "" {
		return a, settings.Usagef("-listen %s: others can reach this address: add -auth-basic name:password or -auth-token, or -behind-proxy where a proxy decides who may look", *t.listen)
	}
	return a, nil
}

// asking is the settings of the questions. A mistake in a file is a UsageError that names the flag.
func (t told) asking() (ask.Settings, error) {
	env := metrics.Env{Rules: metrics.DefaultRules(), Prices: metrics.DefaultPrices(), Tokens: metrics.NewBPE()}
	for _, step := range []struct {
		flag, path string
		parse      func([]byte) error
	}{
		{"rules", *t.rules, func(text []byte) (err error) { env.Rules, err = metrics.ParseRules(text); return }},
		{"prices", *t.prices, func(text []byte) (err error) { env.Prices, err = metrics.ParsePrices(text); return }},
		{"codes", *t.codes, func(text []byte) (err error) { env.Registry, err = metrics.ParseRegistry(text); return }},
	} {
		text, err := settings.ReadFile(step.flag, step.path)
		if err != nil {
			return ask.Settings{}, err
		}
		if text == nil {
			continue
		}
		if err := step.parse(text); err != nil {
			return ask.Settings{}, settings.Usagef("-%s %s: %v", step.flag, step.path, err)
		}
	}
	s := ask.DefaultSettings()
	s.IdleLimit, s.LabelHorizon, s.Timeout, s.Rules = *t.limits.Idle, *t.limits.Horizon, *t.timeout, env.Rules
	s.Registry = env.Registry
	s.Mine = func(r transcript.Run) metrics.Facts { return metrics.Mine(r, env) }
	unestimated := env
	unestimated.Unestimated = true
	s.MineUnestimated = func(r transcript.Run) metrics.Facts { return metrics.Mine(r, unestimated) }
	if err := s.Validate(); err != nil {
		return s, settings.Usagef("dashboard: %v", err)
	}
	return s, nil
}
