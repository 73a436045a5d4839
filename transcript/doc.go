// Package transcript holds what was said: runs of agents, their threads, turns, tool calls and results,
// and the error objects in them. It is the vocabulary that every other package speaks, and a leaf: it knows
// no Kafka, SQL, HTTP, clock, environment or logger.
//
// A transcript passes through three shapes:
//
//	Fragment   what one record says about one thread of one run (made by a decoder)
//	Known      the messages known of a run so far, each in its slot (made by merging fragments)
//	Run        those messages in order, grouped into turns, each call with its result (made by Arrange)
//
// What any of it means (is this an error, is that a repeat) is not decided here but in package metrics.
package transcript
