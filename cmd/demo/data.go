package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"errata/internal/settings"
	"errata/internal/simulate"
)

// data is what a demo shows. Each set of files has a folder of its own, so that one demo does not show another's runs.
type data struct {
	dir   string
	files []string // none: the simulated transcripts
}

func newData(dir string, files []string) (data, error) {
	name := "simulated"
	var absolute []string
	for _, file := range files {
		path, err := filepath.Abs(file)
		if err != nil {
			return data{}, fmt.Errorf("find %s: %w", file, err)
		}
		if _, err := os.Stat(path); err != nil {
			return data{}, settings.Usagef("demo: %v: name transcripts that can be read", err)
		}
		absolute = append(absolute, path)
	}
	if len(absolute) > 0 {
		slices.Sort(absolute)
		sum := sha256.Sum256([]byte(strings.Join(absolute, "\n")))
		name = "files-" + hex.EncodeToString(sum[:4])
	}
	d := data{dir: filepath.Join(dir, name), files: slices.Compact(absolute)}
	if err := os.MkdirAll(d.dir, 0o755); err != nil {
		return data{}, fmt.Errorf("make the demo's folder: %w", err)
	}
	return d, nil
}

// send publishes the transcripts, unless an earlier demo in the same folder did. The mark is set after the broker has
// acknowledged everything; a demo that was killed before sends again, which counts nothing twice.
func (d data) send(ctx context.Context, family *family, env []string, out io.Writer) error {
	mark := filepath.Join(d.dir, "sent")
	if _, err := os.Stat(mark); err == nil {
		fmt.Fprintln(out, "the transcripts were sent by an earlier demo; remove", d.dir, "to begin anew")
		return nil
	}
	files := d.files
	if len(files) == 0 {
		path, err := d.simulate()
		if err != nil {
			return err
		}
		files = []string{path}
	}
	if err := family.once(ctx, "ingest", env, append([]string{"send"}, files...)...); err != nil {
		return err
	}
	if err := os.WriteFile(mark, []byte(strings.Join(files, "\n")+"\n"), 0o644); err != nil {
		return fmt.Errorf("mark the transcripts as sent: %w", err)
	}
	return nil
}

// simulate writes the simulated transcripts to a file of JSON lines, once.
func (d data) simulate() (string, error) {
	path := filepath.Join(d.dir, "simulated.jsonl")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	file, err := os.Create(path + ".new")
	if err != nil {
		return "", fmt.Errorf("write the simulated transcripts: %w", err)
	}
	defer file.Close()
	w := bufio.NewWriter(file)
	for run := range simulate.Generate(simulate.Demo(time.Now().UTC())) {
		for _, record := range run.Records {
			w.Write(record.Value)
			w.WriteByte('\n')
		}
	}
	if err := w.Flush(); err != nil {
		return "", fmt.Errorf("write the simulated transcripts: %w", err)
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return "", fmt.Errorf("write the simulated transcripts: %w", err)
	}
	return path, nil
}
