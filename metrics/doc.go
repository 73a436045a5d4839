// Package metrics says what each number means. It is pure: a run goes in, its facts come out, and the same run gives
// the same facts whenever and wherever it is mined. One file holds one concept; facts.go holds the facts all together.
//
// Facts never depend on the time of asking. What is not settled yet (an errored call without a next turn, an episode
// without an ending) is stored with what decides it later, and package ask settles it against the time of asking.
package metrics
