package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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

// readFile reads a file, or standard input, and unpacks it where it is packed with gzip or zstd, whatever its name says.
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
