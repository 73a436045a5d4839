package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"errata/internal/settings"
	"errata/metrics"
	"errata/pipeline/assemble"
	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/pipeline/format/record"
	"errata/transcript"
)

const aboutCheck = `
ingest check reads transcripts as the ingester would, without Kafka or ClickHouse, and says for each file what is in it:
format, runs, turns, calls, errors, episodes, and what was rejected, with its line and reason. Files that are no
transcripts are skipped. At its end stands a table by source, which is the folder below the one that was named: errors by
the rule that decided them, rejects by reason. It exits 1 when anything was rejected. With -codes FILE, a registry of codes
(docs/codes.md), it also says where error payloads break their contract, and exits 1 when one does.

    ingest check [settings] FILE…        files, folders, or - for standard input; also packed with gzip, zstd or zip`

// tally is what was found in a file, or in all of them.
type tally struct {
	files, skipped                        int
	runs, turns, calls, errored, episodes int
	rejects                               int
	findings                              map[string]breach
	rules                                 map[string]int // errored calls by the rule that decided
}

// breach is how often one rule of the contract was broken, and where first.
type breach struct {
	count int
	first string
}

func (b breach) add(more breach) breach {
	if b.count == 0 {
		b.first = more.first
	}
	b.count += more.count
	return b
}

func runCheck(ctx context.Context, args []string, w world) error {
	const command = "ingest check"
	set := settings.New(command, aboutCheck, w.getenv)
	mining := declareMining(set)
	forced := declareFormat(set)
	rest, err := set.Parse(args, w.out, version)
	if err != nil {
		return err
	}
	if err := checkFormat(command, *forced); err != nil {
		return err
	}
	files, err := listFiles(command, rest)
	if err != nil {
		return err
	}
	env, err := mining.env()
	if err != nil {
		return err
	}
	c := checker{w: w, env: env, forced: *forced, contract: *mining.codes != "", sources: newSourceTable(rest)}
	for _, path := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		documents := w.read(path, func(name string, err error) { c.refuse("unread", name, unusable(err)) })
		for _, document := range documents {
			c.check(ctx, document.name, document.value)
		}
	}
	c.close()
	if c.total.rejects > 0 || c.contract && len(c.total.findings) > 0 {
		return errRejected
	}
	return nil
}

// checker goes through files and prints what is in them.
type checker struct {
	w        world
	env      metrics.Env
	forced   string
	contract bool // findings count as faults
	total    tally
	sources  *sourceTable
}

func (c *checker) check(ctx context.Context, path string, value []byte) {
	out, d, err := format.Decode(inputOf(path, value, c.forced), format.Limits{})
	if err != nil && d == nil {
		if why := whySkipped(err, c.forced); why != "" {
			c.total.skipped++
			c.sources.of(path).skipped++
			fmt.Fprintf(c.w.out, "skipped   %s: %s\n", path, why)
			return
		}
		c.refuse("rejected", path, record.Refuse(err))
		return
	}
	if err != nil {
		c.refuse(d.Name, path, record.Refuse(err))
		return
	}
	found, rejects := mineAll(ctx, out, c.env)
	c.report(d.Name, path, found, rejects)
}

// report prints what was found in a file, and adds it to its source and to the sum.
func (c *checker) report(name, path string, found tally, rejects []dialect.Reject) {
	found.rejects = len(rejects)
	c.print(name, path, found)
	writeRejects(c.w, path, rejects)
	c.total.add(found)
	source := c.sources.of(path)
	source.add(found)
	for rule, count := range found.rules {
		source.byRule[rule] += count
	}
	for _, reject := range rejects {
		source.byReason[reject.Reason]++
	}
}

// refuse counts a file of which nothing could be used.
func (c *checker) refuse(name, path string, reject dialect.Reject) {
	c.report(name, path, tally{}, []dialect.Reject{reject})
}

// mineAll assembles what a file holds and mines every run of it.
func mineAll(ctx context.Context, out dialect.Output, env metrics.Env) (tally, []dialect.Reject) {
	found := tally{findings: map[string]breach{}, rules: map[string]int{}}
	rejects := out.Rejects
	assembler, err := assemble.New(assemble.DefaultConfig(), emptyStore{})
	if err != nil {
		return found, append(rejects, unusable(err))
	}
	batch, err := assembler.Batch(ctx, []assemble.Arrival{{Fragments: out.Fragments, Time: time.Unix(0, 0).UTC()}})
	if err != nil {
		return found, append(rejects, unusable(err))
	}
	for _, reject := range batch.Rejects {
		rejects = append(rejects, reject.Reject)
	}
	for _, changed := range batch.Changed {
		facts := metrics.Mine(changed.Run, env)
		found.runs++
		found.turns += facts.Run.Turns
		found.calls += len(facts.Calls)
		found.episodes += len(facts.Episodes)
		for _, call := range facts.Calls {
			if call.Outcome == metrics.OutcomeError {
				found.errored++
				found.rules[call.ErrorRule]++
			}
		}
		for _, finding := range facts.Findings {
			found.findings[finding.Finding] = found.findings[finding.Finding].add(breach{1, placeOf(facts.Run.Meta.ID, finding)})
		}
	}
	return found, rejects
}

// placeOf says where a breach is: the run, the turn, the tool, and the code where there is one.
func placeOf(run transcript.RunID, f metrics.FindingFact) string {
	place := fmt.Sprintf("run %s, turn %d, %s", run, f.Ref.Turn, f.Tool)
	if f.Ref.Thread != "" {
		place = fmt.Sprintf("run %s, thread %s, turn %d, %s", run, f.Ref.Thread, f.Ref.Turn, f.Tool)
	}
	if f.Code != "" {
		place += ", code " + string(f.Code)
	}
	return place
}

// unusable is a reject for what is no fault of the JSON.
func unusable(err error) dialect.Reject {
	return dialect.Reject{Reason: dialect.ReasonUnsupported, Message: err.Error()}
}

// emptyStore is a store with no runs: every file is looked at by itself.
type emptyStore struct{}

// Load gives nothing.
func (emptyStore) Load(context.Context, []transcript.RunID) (map[transcript.RunID][]transcript.Row, error) {
	return nil, nil
}

// add adds what was found in one more file.
func (t *tally) add(found tally) {
	t.files++
	t.runs += found.runs
	t.turns += found.turns
	t.calls += found.calls
	t.errored += found.errored
	t.episodes += found.episodes
	t.rejects += found.rejects
	if t.findings == nil {
		t.findings = map[string]breach{}
	}
	for name, more := range found.findings {
		t.findings[name] = t.findings[name].add(more)
	}
}

func (c *checker) print(name, path string, t tally) {
	fmt.Fprintf(c.w.out, "%-9s %s  %s\n", name, t.text(), path)
	if !c.contract {
		return
	}
	for _, finding := range slices.Sorted(maps.Keys(t.findings)) {
		b := t.findings[finding]
		times := "once"
		if b.count > 1 {
			times = fmt.Sprintf("%d times, first", b.count)
		}
		fmt.Fprintf(c.w.out, "    %s: contract: %s, %s in %s\n", path, finding, times, b.first)
	}
}

func (t tally) text() string {
	return fmt.Sprintf("%5d runs %6d turns %6d calls %5d errors %5d episodes %4d rejects",
		t.runs, t.turns, t.calls, t.errored, t.episodes, t.rejects)
}

// close prints the sum of all files.
func (c *checker) close() {
	fmt.Fprint(c.w.out, c.sources.text())
	fmt.Fprintf(c.w.out, "%-9s %s  in %d files, %d skipped\n", "total", c.total.text(), c.total.files, c.total.skipped)
}
