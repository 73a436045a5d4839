package catalogue

// Sections are all metrics, by the question that answers them. Read-only.
var Sections = []Section{
	{"What comes after an error", "loops", []Metric{
		{"calls", "How many tool calls are there?", "Tool calls of the agent whose time lies in the window, each counted once a run however often later records repeat it.", "count", "calls", Neither, "A run without a call has none, and is not among the runs that are counted beside it."},
		{"error_share", "How many calls fail?", "Errored calls among those with a result, ok or error; refused, cancelled and pending calls are neither.", "errored / (ok + errored)", "share of calls", Lower, "Which of them a better error would have prevented."},
		{"loop_rate", "How often is the very call sent again that was just refused?", "Errored calls whose next turn holds an identical call, among all labelled errored calls.", "repeat / (repeat + corrected + switched + replied + user + ended)", "share of errored calls", Lower, "Its denominator depends on which errors happen at all, which a payload changes: read it beside the figures per run."},
		{"runs_with_loop", "How many runs loop on their first error?", "Runs whose first counted errored call is sent again unchanged, among runs with an errored call.", "runs_with_loop / runs_with_error", "share of runs", Lower, "What happens after the first error."},
		{"maturing", "What is too young to tell?", "Known, but younger than the label horizon or the idle limit: what repeats is known at once, what never comes is not. Shares leave it out.", "count", "errored calls or episodes", Neither, "How it will end."},
		{"futile", "How many repeats could not help?", "Repeats although the error said retryable: false, or said nothing.", "repeat − sanctioned", "errored calls", Lower, "An error that says nothing may have been transient."},
		{"sanctioned", "How many repeats did the error invite?", "Repeats after an error that said retryable: true.", "count", "errored calls", Neither, "Whether the server was right to invite them."},
		{"loops", "How many series of repeats are there?", "Maximal series of repeats of one call.", "count", "chains", Lower, "A chain that an alternating call interrupts is two: see cycles."},
		{"idle_repeats", "How often is asked again what was just answered?", "An identical call in the next turn after an ok result, without a user message between, with the same result.", "count", "calls", Lower, "A poll whose result changes is none."},
		{"stuck_streaks", "How often does an agent vary a call that keeps failing?", "Three or more successive failures of one tool with one code and at least two different arguments.", "count of maximal stretches", "stretches", Lower, "Part of no other figure."},
		{"cycles", "How often do agents go in circles?", "Two to four distinct calls, one of them failing, that come at least twice in a row with the same outcomes.", "count of maximal stretches, by smallest period", "stretches", Lower, "Part of no other figure."},
	}},
	{"Next actions and obedience", "next_actions", []Metric{
		{"obedience", "Do models do what an error asks for?", "Of the mature errors that asked to stop or to retry and were followed by the model's own choice, those that were obeyed: stop by replied or ended, retry by repeat.", "obeyed / (obeyed + disobeyed)", "share of asking errors", Higher, "Errors that ask may differ from others; the base share of the same tools stands beside it."},
		{"honoured", "Do models wait when asked to?", "Of errors with retry_after_ms that an identical call followed, those after which it came no sooner.", "honoured / (honoured + not_honoured)", "share", Higher, "Waiting may be the harness's doing."},
	}},
	{"Recovery", "recovery", []Metric{
		{"recovered_within_3", "How many episodes recover within three attempts?", "The cumulative incidence of recovery at the third attempt, giving up and help competing, open ones censored.", "F1(3)", "share of episodes", Higher, "Recoveries with a user's help are not in it."},
		{"recovered_in_4_to_7", "How many take four to seven attempts?", "The cumulative incidence of recovery at the seventh attempt less that at the third.", "F1(7) − F1(3)", "share of episodes", Lower, "Why they took so long."},
		{"recovered_in_8_or_more", "How many take eight attempts or more?", "The cumulative incidence of recovery at the last attempt seen less that at the seventh.", "F1(K) − F1(7)", "share of episodes", Lower, "Why they took so long."},
		{"recovered_with_user", "How many recover with a user's help?", "The cumulative incidence of recovery after a user message in between.", "F3(K)", "share of episodes", Neither, "Whether the message helped."},
		{"never", "How many episodes are never repaired?", "The cumulative incidence of abandonment at the last attempt seen.", "F2(K)", "share of episodes", Lower, "Giving up may be the right thing to do."},
		{"unknown", "How many have not ended?", "What is left of one: open episodes are censored, never counted as failures.", "1 − F1(K) − F2(K) − F3(K)", "share of episodes", Neither, "How they will end."},
		{"episodes", "What is followed?", "Stretches from a first error to its recovery or its end.", "count", "episodes", Neither, "How bad each was."},
		{"restricted_mean_attempts", "How many attempts does a recovery take?", "The mean number of attempts when counting stops at ten; one that never recovers counts ten.", "Σ over k < 10 of (1 − F1(k))", "attempts", Lower, "A mean over recovered episodes alone would hide those that never are."},
		{"attempts_p50", "By which attempt has half recovered?", "The least number of attempts k with F1(k) ≥ 0.5; never is larger than any number.", "Q(.5)", "attempts", Neither, "Attempts are whole numbers: a quantile jumps, and carries no verdict."},
	}},
	{"Cost", "cost", []Metric{
		{"recovery_tokens", "What do errors cost in tokens?", "Tokens of the turns after an episode's first error up to its recovery, or up to the last turn that read one of its errors, each charged to the most recent error. Shared turns are split, so that codes add up to the total exactly.", "Σ of charges", "tokens", Lower, "What the model would have spent without the error."},
		{"usd", "What do errors cost in money?", "The same turns at the price of their models on their day.", "tokens × price", "USD", Lower, "Models without a price have none; they are listed."},
		{"body_tokens", "How long are error bodies?", "Tokens of the error bodies, counted once each.", "Σ", "tokens", Neither, "A body stays in the context and is paid for in every later turn."},
		{"monthly_tokens", "What is that in a month?", "Tokens of the whole days covered, brought to 30 days; nothing under seven days.", "tokens / whole days × 30", "tokens", Lower, "Whether next month is like these days."},
		{"costliest_share", "How much is due to the costliest runs?", "The share of those tokens that the costliest 1 % of runs spent.", "tokens of the runs / tokens", "share of tokens", Neither, "Whether these runs will come again."},
		{"estimated_share", "How much is estimated?", "The share of the tokens that a tokenizer counted because the record has no usage of its own.", "estimated tokens / tokens", "share of tokens", Neither, "How far off the estimate is."},
		{"seconds", "How long does recovery take?", "Time of the recovery turns, from the last result to the last result.", "Σ", "seconds", Lower, "Waiting for people and tools is in it."},
	}},
	{"Waste", "waste", []Metric{
		{"serial_faults", "How many turns would batched errors have saved?", "Rejections naming a field that had the same rejected value in the call before and that the previous error did not name.", "count", "turns", Lower, "Whether the server could have known."},
		{"collateral_changed", "What else changes while a fault is repaired?", "Arguments that changed between two calls of an episode without being named by the error between them.", "count", "arguments", Lower, "Some of them had to change."},
	}},
	{"Breaker what-if", "breaker", []Metric{
		{"turns_saved", "What would a breaker have saved?", "Recovery turns before which the tool had failed at least N times in a row in its thread.", "Σ of charged turns with streak ≥ N", "turns", Higher, "An upper bound: had nothing else changed."},
		{"recoveries_lost", "What would it have cost?", "Recovered episodes before whose recovering call the tool had failed at least N times in a row.", "count", "episodes", Lower, "Some would have recovered another way."},
	}},
	{"Field effects", "field_effects", []Metric{
		{"field_effect", "What does a field of an error do to the next call?", "Shares of the six labels over first errors of a code in their run, with and without the field; χ² with 9,999 permutations within variant × tool, Benjamini–Hochberg at 5 % over all pairs shown.", "p = (1 + #≥) / 10,000", "shares", Neither, "An association, unless presence was drawn at random."},
	}},
	{"Coupling", "coupling", []Metric{
		{"coupling", "Which other tools does recovery lean on?", "Recovered episodes of a tool and code in which another tool was called with success.", "episodes with the helper / recovered episodes", "share of episodes", Neither, "Whether the helper was needed."},
	}},
	{"Aliases", "aliases", []Metric{
		{"agreement_low", "How surely does a wrong name mean the right one?", "Lower end of Wilson's interval over runs, one vote a run, of ending on this accepted name.", "Wilson's lower bound", "share of runs", Higher, "That the name means it everywhere: a reviewer decides."},
	}},
	{"Shadow records", "shadow", []Metric{
		{"error_disagrees", "Where would another payload have judged differently?", "Results on which the consumed and the shadowed payload disagree about being an error.", "count", "results", Neither, "Which of the two is right."},
		{"retryable_disagrees", "Where would it have advised differently?", "Errors of which both say whether to retry, and say the opposite.", "count", "results", Neither, "To say nothing counts as no opinion."},
	}},
	{"Comparisons", "compare", []Metric{
		{"task_success", "Do runs still reach their goal?", "Runs with task success, among exposed runs that carry it: the guardrail.", "successes / runs that carry it", "share of runs", Higher, "Runs that do not carry it may differ."},
		{"first_error_looped", "Does a run loop on its first error?", "Runs whose first error is followed by the identical call.", "runs / runs with an error", "share of runs", Lower, "What happens after the first error."},
		{"first_error_recovered_within_3", "Does a run repair its first error within three attempts?", "Runs whose first episode recovers so, without a user's help; open ones with fewer than three attempts are left out.", "runs / runs with a known end", "share of runs", Higher, "What happens after the first error."},
		{"first_error_recovery_tokens", "What does a run's first error cost?", "Recovery tokens charged to the run's first episode.", "mean over runs", "tokens", Lower, "A few long runs may decide it: see the capped row."},
		{"first_error_recovery_tokens_capped", "The same without the longest tails", "Capped at the 99th percentile of both arms.", "mean over runs", "tokens", Lower, "What the tails cost."},
		{"errors_per_run", "Do fewer calls fail?", "Errored calls per exposed run.", "errors / exposed runs", "errors per run", Lower, "Fewer calls have fewer errors."},
		{"repeats_per_run", "Is less repeated?", "Repeats per exposed run.", "repeats / exposed runs", "repeats per run", Lower, "Why."},
		{"recovery_tokens_per_run", "Do errors cost a run less?", "Recovery tokens per exposed run.", "tokens / exposed runs", "tokens", Lower, "A few long runs may decide it: see the capped row."},
		{"recovery_tokens_per_run_capped", "The same without the longest tails", "Capped at the 99th percentile of both arms.", "tokens / exposed runs", "tokens", Lower, "What the tails cost."},
		{"tokens_per_error", "What does an error cost?", "Recovery tokens per errored call.", "tokens / errors", "tokens", Lower, "Its denominator changes with the payload."},
		{"tokens_per_error_capped", "The same without the longest tails", "Capped, run by run, at the 99th percentile of both arms.", "tokens / errors", "tokens", Lower, "What the tails cost."},
		{"usd_per_error", "What does an error cost in money?", "Recovery money per errored call, of runs whose models all have a price.", "USD / errors", "USD", Lower, "Runs without a price."},
		{"body_tokens_per_error", "How long is an error body?", "Body tokens per errored call.", "body tokens / errors", "tokens", Lower, "A longer body may pay for itself."},
	}},
}
