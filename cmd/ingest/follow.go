package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/pipeline/format/record"
)

// follower looks again and again at files and folders, and publishes what is new in them, until it is stopped.
//
// Nothing is remembered beyond its end. What was sent before is then sent again, which counts nothing twice; within its
// life a record that is the same to the byte is sent once, wherever it stands, so that a file that grows, is renamed or
// is begun anew costs little more than what is new in it.
type follower struct {
	sender
	args  []string
	every time.Duration // how often it looks
	known map[string]*followed
	sent  map[uint64]bool // records, by their hash
	down  bool            // Kafka takes nothing

	waited time.Duration // for Kafka, within the look at hand
}

// A file that is written at the moment may be damaged without being so: it is left for a while before that is believed,
// and one that is no file of lines, so that it is rewritten as it grows, for a while longer.
const (
	settled = 3  // looks without a change
	quiet   = 10 // the same for a file that is rewritten
	rest    = 10 // times as long as reading a file took, it is left alone
)

// followed is what is known of a file.
type followed struct {
	size     int64
	modified time.Time
	done     bool // nothing is left to do while it stays as it is
	same     int  // looks for which it has
	next     time.Time
	told     map[string]bool // what was said of it
	counted  bool
}

// follow goes on until ctx ends, which is no failure.
func (f *follower) follow(ctx context.Context) error {
	for {
		for _, path := range f.list() {
			if ctx.Err() != nil {
				return nil
			}
			f.look(ctx, path)
		}
		f.progress.show(f.files, f.records)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(f.every):
		}
	}
}

// list gives the files that there are now. A folder that vanishes while it is read has none for once.
func (f *follower) list() []string {
	var files []string
	for _, arg := range f.args {
		found, err := listFiles("", []string{arg})
		if err == nil {
			files = append(files, found...)
		}
	}
	f.progress.files = len(files)
	if len(f.known) > 2*len(files)+1000 {
		there := make(map[string]bool, len(files))
		for _, path := range files {
			there[path] = true
		}
		maps.DeleteFunc(f.known, func(path string, _ *followed) bool { return !there[path] })
	}
	return files
}

// look sends what is new in a file.
func (f *follower) look(ctx context.Context, path string) {
	info, err := os.Stat(path)
	if err != nil {
		return // it was renamed or removed
	}
	file := f.known[path]
	if file == nil {
		file = &followed{size: -1, told: map[string]bool{}}
		f.known[path] = file
	}
	if file.size != info.Size() || !file.modified.Equal(info.ModTime()) {
		file.size, file.modified = info.Size(), info.ModTime()
		file.done, file.same = false, 0
	} else {
		file.same++
	}
	if file.done || info.Size() == 0 || time.Now().Before(file.next) {
		return
	}
	began := time.Now()
	f.waited = 0
	file.done = f.sendFile(ctx, path, file)
	file.next = time.Now().Add(rest * (time.Since(began) - f.waited))
}

// sendFile tells whether nothing is left to do.
func (f *follower) sendFile(ctx context.Context, path string, file *followed) bool {
	done := true
	documents := f.w.read(path, func(name string, err error) { done = f.refuseSettled(file, name, unusable(err)) && done })
	for _, document := range documents {
		done = f.sendOne(ctx, document, file) && done
	}
	return done
}

// sendOne sends what is new in a document.
func (f *follower) sendOne(ctx context.Context, document document, file *followed) bool {
	value, whole := wholeLines(document.value)
	whole = whole || file.same >= settled
	if whole {
		value = document.value
	}
	if len(value) == 0 {
		return whole
	}
	input := inputOf(document.name, value, f.forced)
	d, err := format.Detect(input)
	if err != nil {
		why := whySkipped(err, f.forced)
		if why == "" {
			return f.refuseSettled(file, document.name, record.Refuse(err))
		}
		if file.same < settled {
			return false
		}
		f.skip(file, document.name, why)
		return true
	}
	shape, _ := record.ShapeOf(value)
	if shape.Container != dialect.Lines && file.same < quiet {
		return false
	}
	parts, rejects := format.Split(input, d, f.most)
	if !f.refuseSettled(file, document.name, rejects...) {
		return false
	}
	if f.ended {
		markEnded(parts)
	}
	if !f.publishNew(ctx, parts) {
		return false
	}
	if !file.counted {
		file.counted = true
		f.files++
	}
	return whole
}

// wholeLines gives the lines that are ended, and whether that is everything. What is no file of lines is whole: its
// first line is no value by itself.
func wholeLines(value []byte) ([]byte, bool) {
	first, _, several := bytes.Cut(bytes.TrimLeft(value, " \t\r\n"), []byte{'\n'})
	if several && !jsontext.Value(first).IsValid(record.Options()) {
		return value, true
	}
	end := bytes.LastIndexByte(value, '\n') + 1
	tail := bytes.TrimSpace(value[end:])
	if len(tail) == 0 || jsontext.Value(tail).IsValid(record.Options()) {
		return value, true
	}
	return value[:end], false
}

// publishNew sends the records that were not sent yet. One that Kafka does not take is tried again at the next look.
func (f *follower) publishNew(ctx context.Context, parts []dialect.Part) bool {
	var fresh []dialect.Part
	var hashes []uint64
	for _, part := range parts {
		if hash := hashOf(part); !f.sent[hash] {
			fresh, hashes = append(fresh, part), append(hashes, hash)
		}
	}
	if len(fresh) == 0 {
		return true
	}
	// What is begun is finished even when it is told to stop.
	const grace = 10 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	began := time.Now()
	err := f.publish(ctx, fresh)
	f.waited += time.Since(began)
	if err != nil {
		if !f.down {
			f.progress.clear()
			fmt.Fprintf(f.w.err, "Kafka takes nothing, will try again until it does: %v\n", err)
		}
		f.down = true
		return false
	}
	f.down = false
	for _, hash := range hashes {
		f.sent[hash] = true
	}
	return true
}

func hashOf(part dialect.Part) uint64 {
	hash := xxhash.New()
	for _, name := range slices.Sorted(maps.Keys(part.Headers)) {
		fmt.Fprintf(hash, "%q:%q,", name, part.Headers[name])
	}
	fmt.Fprintf(hash, "%q", part.Key)
	_, _ = hash.Write(part.Value) // cannot fail
	return hash.Sum64()
}

// refuseSettled tells what cannot be read of a file, each thing once. It gives false while the file is being written, as
// the next look may find it mended.
func (f *follower) refuseSettled(file *followed, name string, rejects ...dialect.Reject) bool {
	var fresh []dialect.Reject
	for _, reject := range rejects {
		if !file.told[name+reject.Error()] {
			fresh = append(fresh, reject)
		}
	}
	if len(fresh) == 0 {
		return true
	}
	if file.same < settled {
		return false
	}
	for _, reject := range fresh {
		file.told[name+reject.Error()] = true
	}
	f.refuse(name, fresh...)
	return true
}

// skip says once that a file is no transcript.
func (f *follower) skip(file *followed, name, why string) {
	if file.told[name] {
		return
	}
	file.told[name] = true
	f.skipped++
	f.progress.clear()
	fmt.Fprintf(f.w.err, "skipped %s: %s\n", name, why)
}
