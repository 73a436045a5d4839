package assemble

import (
	"errors"
	"fmt"
)

// Config says how much memory runs may take and what is refused.
type Config struct {
	// MaxBytes bounds the memory of runs that are kept between batches. Runs beyond it, the least recently changed
	// first, are read back when a record of them arrives. Runs that have ended get an eighth of it.
	MaxBytes int64

	// Limits bound a single run.
	Limits Limits
}

// Limits bound what is kept of a run. What is beyond is cut, or refused with a reason.
type Limits struct {
	Messages   int // messages of a run; more are refused
	Text       int // bytes of one text, one call's arguments or one result; the rest is cut, length and hash stay
	Parts      int // calls, and results, of one message; a message with more is refused
	Name       int // bytes of an id, a name or an attribute; a fragment with a longer run or thread id is refused, others are cut
	Attributes int // attributes of a run, and shadow payloads; more are left out
}

// DefaultConfig gives a quarter of a gibibyte to runs between batches, and limits that real transcripts do not meet.
func DefaultConfig() Config {
	return Config{
		MaxBytes: 256 << 20,
		Limits:   Limits{Messages: 100_000, Text: 1 << 20, Parts: 10_000, Name: 1024, Attributes: 1000},
	}
}

// Validate says which setting cannot be used, and why.
func (c Config) Validate() error {
	var errs []error
	check := func(name string, value, least, most int) {
		if value < least || value > most {
			errs = append(errs, fmt.Errorf("limit of %s is %d; it must be from %d to %d", name, value, least, most))
		}
	}
	if c.MaxBytes < 1 {
		errs = append(errs, fmt.Errorf("memory for runs is %d bytes; it must be at least 1", c.MaxBytes))
	}
	check("messages", c.Limits.Messages, 1, 1_000_000)
	check("text", c.Limits.Text, 64, 16<<20)
	check("parts", c.Limits.Parts, 1, 100_000)
	check("name", c.Limits.Name, 64, 1<<16)
	check("attributes", c.Limits.Attributes, 1, 100_000)
	return errors.Join(errs...)
}
