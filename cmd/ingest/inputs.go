package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"errata/internal/settings"
	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
)

// declareFormat declares the setting that forces a format.
func declareFormat(set *settings.Set) *string {
	return set.String("format", "", "", "the format of every file, one of "+strings.Join(format.Names(), ", ")+"; empty: detected")
}

// checkFormat refuses a format that does not exist.
func checkFormat(command, name string) error {
	if name != "" && format.ByName(name) == nil {
		return settings.Usagef("%s: -format %s: there is no such format; use one of %s", command, name, strings.Join(format.Names(), ", "))
	}
	return nil
}

// inputOf makes the input of a document's content. Its name is made whole, since the folders of a file may name the
// session; what was packed has the name of what is in it.
func inputOf(name string, value []byte, forced string) dialect.Input {
	input := dialect.Input{Value: value, Headers: map[string]string{}}
	if absolute, err := filepath.Abs(name); err == nil && name != standardInput {
		input.Path = strings.TrimSuffix(strings.TrimSuffix(absolute, ".gz"), ".zst")
	}
	if forced != "" {
		input.Headers[dialect.HeaderFormat] = forced
	}
	return input
}

// whySkipped tells a file that is no transcript from one that is a bad transcript: "" for the latter.
func whySkipped(err error, forced string) string {
	var reject dialect.Reject
	if !errors.As(err, &reject) || forced != "" {
		return ""
	}
	switch reject.Reason {
	case dialect.ReasonUnknownFormat:
		return "JSON of no known format"
	case dialect.ReasonInvalidUTF8:
		return "no text"
	case dialect.ReasonMalformedJSON:
		if reject.Offset == 0 && reject.Pointer == "" {
			return "no JSON"
		}
		return "damaged JSON of no known format"
	}
	return ""
}

// writeRejects tells what of a file was rejected, at most so many of them one by one.
func writeRejects(w world, path string, rejects []dialect.Reject) {
	const most = 20
	for i, reject := range rejects {
		if i == most {
			fmt.Fprintf(w.out, "    %s: %d more\n", path, len(rejects)-most)
			return
		}
		fmt.Fprintf(w.out, "    %s: %v\n", path, reject)
	}
}
