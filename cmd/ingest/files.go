package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"errata/internal/settings"
)

// maxFile bounds a transcript file as it is after unpacking, so that a small packed file cannot fill the memory.
const maxFile = 1 << 30

// standardInput is how the arguments name it.
const standardInput = "-"

// listFiles gives the files that the arguments name: folders with everything in them, hidden files and folders left out.
func listFiles(command string, args []string) ([]string, error) {
	if len(args) == 0 {
		return nil, settings.Usagef("%s: names no file: give files, folders, or %s for standard input", command, standardInput)
	}
	var files []string
	for _, arg := range args {
		if arg == standardInput {
			files = append(files, arg)
			continue
		}
		err := filepath.WalkDir(arg, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			hidden := strings.HasPrefix(entry.Name(), ".") && path != arg
			switch {
			case hidden && entry.IsDir():
				return fs.SkipDir
			case hidden || entry.IsDir():
				return nil
			}
			files = append(files, path)
			return nil
		})
		if err != nil {
			return nil, settings.Usagef("%s: %v: name a file or folder that can be read", command, err)
		}
	}
	return files, nil
}

// document is what a file holds: itself, or one of the files of an archive.
type document struct {
	name  string // for people: the path, and for a file of an archive its name there
	value []byte
}

// read reads a file, or standard input, and unpacks it where it is packed, whatever its name says. A zip archive holds as
// many documents as files; one of them that cannot be unpacked is told by unread, and costs itself only.
func (w world) read(path string, unread func(name string, err error)) []document {
	value, err := w.readFile(path)
	if err != nil {
		unread(path, err)
		return nil
	}
	if bytes.HasPrefix(value, []byte("PK\x03\x04")) {
		return unpackZip(path, value, unread)
	}
	return []document{{path, value}}
}

// readFile reads a file, or standard input, and unpacks it where it is packed with gzip or zstd.
func (w world) readFile(path string) ([]byte, error) {
	var source io.Reader = w.in
	if path != standardInput {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		source = file
	}
	value, err := readBounded(source)
	if err != nil {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(value, []byte{0x1f, 0x8b}):
		return unpackGzip(value)
	case bytes.HasPrefix(value, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return unpackZstd(value)
	}
	return value, nil
}

// unpackZip reads the files of an archive in the order of their names. The sum of their sizes is bounded, so that a small archive
// cannot fill the memory.
func unpackZip(path string, value []byte, unread func(name string, err error)) []document {
	archive, err := zip.NewReader(bytes.NewReader(value), int64(len(value)))
	if err != nil {
		unread(path, fmt.Errorf("unpack zip: %w", err))
		return nil
	}
	archive.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxFile)))
	slices.SortFunc(archive.File, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	var documents []document
	total := 0
	for _, file := range archive.File {
		if file.FileInfo().IsDir() || !isTranscript(file.Name) {
			continue
		}
		name := path + "/" + file.Name
		value, err := unpackOne(file, maxFile-total)
		if err != nil {
			unread(name, fmt.Errorf("unpack zip: %w", err))
			continue
		}
		total += len(value)
		documents = append(documents, document{name, value})
	}
	return documents
}

// isTranscript leaves out what archives hold beside transcripts: hidden files, and those whose name starts with an
// underscore, such as the journal of an Inspect log, which repeats what its other files say.
func isTranscript(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") || strings.HasPrefix(part, "_") {
			return false
		}
	}
	return true
}

func unpackOne(file *zip.File, most int) ([]byte, error) {
	reader, err := file.Open()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	value, err := io.ReadAll(io.LimitReader(reader, int64(most)+1))
	if err != nil {
		return nil, err
	}
	if len(value) > most {
		return nil, errors.New("the archive holds more than 1 GiB; split it")
	}
	return value, nil
}

func unpackGzip(value []byte) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(value))
	if err != nil {
		return nil, fmt.Errorf("unpack gzip: %w", err)
	}
	unpacked, err := readBounded(reader)
	if err != nil {
		return nil, fmt.Errorf("unpack gzip: %w", err)
	}
	return unpacked, nil
}

func unpackZstd(value []byte) ([]byte, error) {
	const window = 128 << 20 // what the zstd program itself accepts without being told to
	reader, err := zstd.NewReader(bytes.NewReader(value), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window))
	if err != nil {
		return nil, fmt.Errorf("unpack zstd: %w", err)
	}
	defer reader.Close()
	unpacked, err := readBounded(reader)
	if err != nil {
		return nil, fmt.Errorf("unpack zstd: %w", err)
	}
	return unpacked, nil
}

func readBounded(source io.Reader) ([]byte, error) {
	value, err := io.ReadAll(io.LimitReader(source, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(value) > maxFile {
		return nil, errors.New("it is larger than 1 GiB; split it")
	}
	return value, nil
}
