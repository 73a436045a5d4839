// Package simulate writes agent transcripts whose truth is known.
//
// A run is planned before it is written: as a sequence of scenes ("a wrong
// status, the same call twice, a look at the ticket, the right status"), each
// of which says by its own script what the agent does next after every error,
// which calls are after the same thing and how the matter ends. The truth of a
// run is the sum of what its scenes decided; nothing here reads a transcript
// back, so the truth can be held against a miner without sharing its mistakes.
//
// What keeps the truth exact are a few rules for all scenes:
//
//   - Every scene works on entities (tickets, orders, addresses) of its own, so
//     that no call of one scene is identical to a call of another.
//   - A tool with an error that is never repaired is not used again in that
//     thread, so that no later call can be taken for its repair.
//   - A scene that looks something up before it tries again either has at most
//     two errors or looks it up just before the call that works, so that three
//     failures in a row are three under any reading of "in a row".
//   - Messages of the bare error format are plain words that name one argument
//     or none, so that their mined code and the argument they speak of are
//     plain to see.
//   - A combination whose truth could be read in two ways is not generated.
//
// The same parameters give the same bytes and the same truth.
package simulate
