package web

import "errata/metrics/catalogue"

// define says what a number means, by its name in the catalogue, so that pages and docs/metrics.md say the same.
func define(name string) string {
	metric, ok := catalogue.Lookup(name)
	if !ok {
		panic("BUG: the catalogue has no number " + name)
	}
	return metric.Definition
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
