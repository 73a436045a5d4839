package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
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

// destination is where a demo can be seen: its pages, and the terminal.
type destination struct {
	site string
	out  io.Writer
}

// send publishes the transcripts, unless an earlier demo in the same folder did. The mark is set after the broker has
// acknowledged everything; a demo that was killed before sends again, which counts nothing twice.
func (d data) send(ctx context.Context, family *family, env []string, to destination) error {
	mark := filepath.Join(d.dir, "sent")
	if _, err := os.Stat(mark); err == nil {
		fmt.Fprintln(to.out, "the transcripts were sent by an earlier demo; remove", d.dir, "to begin anew")
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
	if len(d.files) == 0 {
		if err := d.markCutover(ctx, to.site); err != nil {
			return err
		}
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
	cfg := simulate.Demo(time.Now().UTC())
	w := bufio.NewWriter(file)
	for run := range simulate.Generate(cfg) {
		for _, record := range run.Records {
			w.Write(record.Value)
			w.WriteByte('\n')
		}
	}
	if err := w.Flush(); err != nil {
		return "", fmt.Errorf("write the simulated transcripts: %w", err)
	}
	if err := os.WriteFile(d.cutoverFile(), []byte(cfg.CutoverAt().Format(time.RFC3339)), 0o644); err != nil {
		return "", fmt.Errorf("write when the simulated tools change: %w", err)
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return "", fmt.Errorf("write the simulated transcripts: %w", err)
	}
	return path, nil
}

// cutoverFile holds the moment at which the simulated tools change, beside the transcripts of that simulation.
func (d data) cutoverFile() string { return filepath.Join(d.dir, "cutover") }

// markCutover saves that moment under a name, as somebody who cuts over would, so that the charts show it.
func (d data) markCutover(ctx context.Context, site string) error {
	at, err := os.ReadFile(d.cutoverFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil // transcripts of a version that did not write it
	}
	if err != nil {
		return fmt.Errorf("read when the simulated tools change: %w", err)
	}
	body, err := json.Marshal(map[string]string{
		"name": "structured errors", "at": string(at), "author": "demo",
		"note": "Simulated: from here on the tools answer with a code, the fields at fault and a suggestion.",
	})
	if err != nil {
		return fmt.Errorf("write the cutover of the demo: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, site+"/api/v1/cutovers", bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("mark the cutover of the demo: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("mark the cutover of the demo: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1000))
		return fmt.Errorf("mark the cutover of the demo: the dashboard answers %s: %s", response.Status, text)
	}
	return nil
}
