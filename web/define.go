package web

// defined says what each number means, in a sentence or two. The metrics specification has the exact words.
var defined = map[string]string{
	"calls":         "Tool calls of the agent whose time lies in the window. Each is counted once per run, however often later records repeat it.",
	"error_share":   "Failed calls among those with a result, ok or error. Refused, cancelled and pending calls are neither.",
	"loop_rate":     "Failed calls after which the next turn sends the identical call again, among all failed calls whose next step is known. Shares rest on mature calls only; the interval takes into account that calls of one run are alike.",
	"futile":        "Repeats although the error said that a retry will not help, or said nothing.",
	"sanctioned":    "Repeats that the error itself allowed: it said retryable.",
	"maturing":      "Known, but too young to count in shares: what repeats is known at once, what never comes is not.",
	"runs_loop":     "Runs whose first failed call was sent again unchanged, among runs with a failed call.",
	"loops":         "Chains: maximal series of repeats of one call.",
	"idle_repeats":  "An identical call in the next turn after an ok result, with the same result again. Not part of the loop rate.",
	"stuck_streaks": "Three or more calls of one tool in a row that fail with one code, with at least two different arguments.",
	"cycles":        "Two to four distinct calls, one of them failing, that come at least twice in a row with the same outcomes.",
	"within3":       "Episodes that recovered within 3 attempts, read off the cumulative incidence: giving up and a user's help compete, open ones are censored.",
	"f4_7":          "Episodes that recovered on the 4th to 7th attempt.",
	"ge8":           "Episodes that recovered on the 8th attempt or later.",
	"with_user":     "Episodes that recovered after a user wrote in between.",
	"never":         "Episodes that were given up: the run ended before a call that belongs to them succeeded.",
	"unknown":       "Episodes whose end is not known yet. They are never counted as failures.",
	"episodes":      "Stretches from a first error to its recovery or its end.",
	"attempts":      "Calls that belong to an episode after its first error, the successful one included. Half of the episodes need no more than the median; one that is never recovered counts as larger than any number.",
	"tokens":        "Tokens of recovery turns: those after an episode's first error up to its recovery or its last attempt to read an error, charged to the code of the most recent error.",
	"usd":           "The same turns at the price of their models. Models without a price have tokens and no money.",
	"body_tokens":   "Tokens of the error bodies themselves, counted once each.",
	"monthly":       "Tokens of the whole days covered, brought to 30 days. Nothing under 7 whole days.",
	"estimated":     "Share of the tokens that were counted with a tokenizer because the record has no usage of its own.",
	"seconds":       "Time that recovery turns took.",
	"agreement":     "Lower end of the 95 % interval of the share of runs that ended on this accepted name. 3 of 3 runs give 44 %, 10 of 10 give 72 %.",
	"rivals":        "Other names that were accepted for the same rejected one.",
	"costliest":     "Share of the projected tokens that is due to the costliest 1 % of runs.",
}

// labels say in words what became of a failed call.
var labels = []struct{ name, label, meaning string }{
	{"repeat", "Repeated", "the next turn sends the identical call"},
	{"corrected", "Corrected", "the next turn calls the same tool with other arguments"},
	{"switched", "Switched", "the next turn calls only other tools"},
	{"replied", "Replied", "the next turn has no call: the model answered, asked or gave up"},
	{"user", "User stepped in", "a user wrote before the next turn"},
	{"ended", "Ended", "no turn followed"},
}

// reasons say in words why an episode was given up.
var reasons = []struct{ name, label string }{
	{"moved_on", "Moved on to other calls that worked"},
	{"handed_to_user", "Ended in words to the user"},
	{"turn_limit", "Ran into its turn limit"},
	{"cut_off", "Cut off by an error or cancelled"},
	{"user_left", "The user left"},
	{"stopped", "Just stopped"},
}
