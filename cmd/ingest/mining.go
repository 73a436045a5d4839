package main

import (
	"errata/internal/settings"
	"errata/metrics"
)

// miningSettings say what errors mean and what tokens cost.
type miningSettings struct {
	rules, prices, codes *string
}

func declareMining(set *settings.Set) miningSettings {
	return miningSettings{
		rules:  set.File("rules", "ERRATA_RULES", "file with rules: which results are errors, which arguments are volatile (docs/rules.md); empty: the defaults"),
		prices: set.File("prices", "ERRATA_PRICES", "file with the prices of models (docs/prices.md); empty: the shipped list"),
		codes:  set.File("codes", "ERRATA_CODES", "file with the registry of error codes (docs/codes.md); empty: none"),
	}
}

// env reads the files. A mistake in one of them is a UsageError that names the flag.
func (m miningSettings) env() (metrics.Env, error) {
	env := metrics.Env{Rules: metrics.DefaultRules(), Prices: metrics.DefaultPrices(), Tokens: metrics.NewBPE()}
	steps := []struct {
		flag, path string
		parse      func([]byte) error
	}{
		{"rules", *m.rules, func(text []byte) (err error) { env.Rules, err = metrics.ParseRules(text); return }},
		{"prices", *m.prices, func(text []byte) (err error) { env.Prices, err = metrics.ParsePrices(text); return }},
		{"codes", *m.codes, func(text []byte) (err error) { env.Registry, err = metrics.ParseRegistry(text); return }},
	}
	for _, step := range steps {
		text, err := settings.ReadFile(step.flag, step.path)
		if err != nil {
			return env, err
		}
		if text == nil {
			continue
		}
		if err := step.parse(text); err != nil {
			return env, settings.Usagef("-%s %s: %v", step.flag, step.path, err)
		}
	}
	return env, nil
}
