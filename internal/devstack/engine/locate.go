package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrMissing says that the engine's library is not on this machine yet.
var ErrMissing = errors.New("the embedded ClickHouse engine (libchdb.so) is missing")

// libraryNames are the names that the library goes by.
var libraryNames = []string{"libchdb.so", "libchdb.dylib"}

// Locate finds the engine's library: where explicit (a flag or ERRATA_ENGINE) says, else beside the running program, else in
// the folder .engine of the working directory or one above it. Explicit may name the file or its folder.
func Locate(explicit string) (string, error) {
	if explicit != "" {
		if path, ok := libraryIn(explicit); ok {
			return path, nil
		}
		if info, err := os.Stat(explicit); err == nil && !info.IsDir() {
			return explicit, nil
		}
		return "", fmt.Errorf("%w: there is none at %s, which -engine or ERRATA_ENGINE names", ErrMissing, explicit)
	}
	for _, dir := range folders() {
		if path, ok := libraryIn(dir); ok {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w: run internal/devstack/fetch.sh, which puts it into .engine of the checkout, or name it with -engine PATH or ERRATA_ENGINE", ErrMissing)
}

func folders() []string {
	var dirs []string
	if program, err := os.Executable(); err == nil {
		if program, err = filepath.EvalSymlinks(program); err == nil {
			dirs = append(dirs, filepath.Dir(program))
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		return dirs
	}
	for {
		dirs = append(dirs, filepath.Join(dir, ".engine"))
		parent := filepath.Dir(dir)
		if parent == dir {
			return dirs
		}
		dir = parent
	}
}

func libraryIn(dir string) (string, bool) {
	for _, name := range libraryNames {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, true
		}
	}
	return "", false
}
