package pipeline_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"

	"errata/internal/simulate"
	"errata/metrics"
	"errata/pipeline"
)

func (w *world) remine(env metrics.Env) pipeline.Remine {
	return pipeline.Remine{Store: w.store, Env: env, Log: slog.New(slog.DiscardHandler), Bytes: 50_000}
}

func simulated() []simulate.Record {
	var all []simulate.Record
	for run := range simulate.Generate(simulate.Small()) {
		all = append(all, run.Increments(5)...)
	}
	return all
}

// Under the same rules nothing changes, versions included, whether it runs whole, is interrupted, or runs again.
func TestReminingUnderTheSameRulesChangesNothing(t *testing.T) {
	w := newWorld(t)
	w.handle(w.pipeline(), records(simulated()))
	before := w.facts("stored_at")
	ctx, stop := context.WithCancel(t.Context())
	interrupted := w.remine(w.cfg.Env)
	interrupted.Progress = func(done, of uint64) {
		if done > 5 {
			stop()
		}
	}
	if _, _, err := interrupted.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	same(t, "after an interruption", before, w.facts("stored_at"))
	mined, failed, err := w.remine(w.cfg.Env).Run(t.Context())
	if err != nil || failed > 0 || mined != uint64(len(before)) {
		t.Fatalf("%d mined, %d failed, %v; want %d", mined, failed, err, len(before))
	}
	same(t, "after a whole pass", before, w.facts("stored_at"))
}

// A rule about what is volatile in a message changes mined codes and templates, wherever they stand, and nothing else; they
// are what they would have been had the rule been there from the start. An interrupted pass that runs again ends the same.
func TestReminingUnderOtherRules(t *testing.T) {
	rules, err := metrics.ParseRules([]byte(`{"volatile":[{"pattern":"(?i)status|ticket|order","placeholder":"<x>"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	changed := metrics.Env{Rules: rules, Prices: metrics.DefaultPrices(), Tokens: metrics.NewBPE()}
	all := records(simulated())
	fresh := newWorld(t)
	fresh.cfg.Env = changed
	fresh.handle(fresh.pipeline(), all)
	w := newWorld(t)
	w.handle(w.pipeline(), all)
	const concerned = "stored_at, rules, `errors.code`, `errors.raw_code`, `errors.template`, `episodes.code`, `charges.code`, " +
		"`patterns.code`, `pairs.code`, `findings.code`, `shadows.code`, `shadows.template`"
	old, others := w.facts("stored_at"), w.facts(concerned)
	codes := w.rows("SELECT toString(errors.code) FROM runs FINAL ORDER BY run_id")

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	half := w.remine(changed)
	half.Progress = func(done, of uint64) {
		if done > of/2 {
			stop()
		}
	}
	_, _, _ = half.Run(ctx)
	if _, _, err := w.remine(changed).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, "as if the rules had always been so", fresh.facts("stored_at"), w.facts("stored_at"))
	same(t, "what the rule does not concern", others, w.facts(concerned))
	if slices.Equal(codes, w.rows("SELECT toString(errors.code) FROM runs FINAL ORDER BY run_id")) {
		t.Error("the rule changed no code, so nothing is shown")
	}

	if _, _, err := w.remine(w.cfg.Env).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, "and back", old, w.facts("stored_at"))
}

// Ingest that goes on knows more of a run than a remining that read it before: what ingest wrote stays, whoever is last.
func TestReminingLosesToIngestThatKnowsMore(t *testing.T) {
	all := records(simulated())
	w := newWorld(t)
	p := w.pipeline()
	half := len(all) / 2
	w.handle(p, all[:half])
	slow := w.remine(w.cfg.Env)
	first := true
	slow.Progress = func(_, _ uint64) {
		if first {
			first = false
			w.handle(p, all[half:])
		}
	}
	if _, _, err := slow.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	clean := newWorld(t)
	clean.handle(clean.pipeline(), all)
	same(t, "after both", clean.facts("stored_at"), w.facts("stored_at"))
}
