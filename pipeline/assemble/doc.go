// Package assemble turns messages into runs, whatever order and repetition they come in.
//
// What is known of a run is a set of slots. A slot is a message at a position in a history, or a message of a log that
// has ids in place of positions. Each slot is a join-semilattice: what two records say of it is united by an operation that
// is commutative, associative and idempotent. So the same records give the same run in any order, chunks and
// repetition, and a state that is read back from its rows is the state that was written.
//
// How the slots fit together (which are copies, what a compacted history repeats, which result belongs to which call) is
// not decided when they are merged but by transcript.Arrange, from all of them.
//
// The package is pure: it takes values and returns values, and reads stored runs through a Loader.
package assemble
