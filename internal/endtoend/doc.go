// Package endtoend holds the whole path together in tests: what the simulator planned goes through decoding, assembling,
// mining and the tables, and must come out of the questions as it was planned.
package endtoend
