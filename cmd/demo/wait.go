package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"
)

// lock takes a folder for this demo alone; the lock goes with the process.
func lock(path string) (func(), error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the lock: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		return nil, fmt.Errorf("another demo is using %s: stop it, or give another folder with -dir", path)
	}
	return func() { file.Close() }, nil
}

// pickAddress gives the wanted address, or one with a free port where it is in use.
func pickAddress(wanted string) (string, error) {
	listener, err := net.Listen("tcp", wanted)
	if errors.Is(err, syscall.EADDRINUSE) {
		host, _, _ := net.SplitHostPort(wanted)
		listener, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return "", settingsError(wanted, err)
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}

func settingsError(address string, err error) error {
	return fmt.Errorf("-listen %s: give a free address such as 127.0.0.1:8080: %w", address, err)
}

// poll asks until the answer is yes, an error, or the time is over.
func poll(ctx context.Context, limit time.Duration, what string, ask func() (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("wait for %s: nothing after %s", what, limit))
	defer cancel()
	for {
		done, err := ask()
		if done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// waitForFile waits until a file is there and gives its lines.
func waitForFile(ctx context.Context, path string, limit time.Duration) ([]string, error) {
	var lines []string
	err := poll(ctx, limit, path, func() (bool, error) {
		text, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			return false, nil
		}
		lines = strings.Fields(string(text))
		return err == nil, err
	})
	return lines, err
}

// waitFor waits until a page answers with 200.
func waitFor(ctx context.Context, url string, limit time.Duration) error {
	return poll(ctx, limit, url, func() (bool, error) {
		response, err := http.Get(url)
		if err != nil {
			return false, nil
		}
		response.Body.Close()
		return response.StatusCode == http.StatusOK, nil
	})
}

// health is what matters here of the API's answer.
type health struct {
	Rows []struct {
		Lag      int64 `json:"lag"`
		Records  int64 `json:"records"`
		Stored   int64 `json:"stored"`
		Rejected int64 `json:"rejected"`
	} `json:"rows"`
}

// waitUntilStored waits until nothing lags behind and says what is stored.
func waitUntilStored(ctx context.Context, site string, out io.Writer) error {
	return poll(ctx, 30*time.Minute, "the records to be stored", func() (bool, error) {
		response, err := http.Get(site + "/api/v1/health")
		if err != nil {
			return false, nil
		}
		defer response.Body.Close()
		var h health
		if json.NewDecoder(response.Body).Decode(&h) != nil || len(h.Rows) == 0 {
			return false, nil
		}
		row := h.Rows[0]
		if row.Records == 0 || row.Lag > 0 {
			return false, nil
		}
		fmt.Fprintf(out, "%d records read: %d stored, %d rejected\n", row.Records, row.Stored, row.Rejected)
		return true, nil
	})
}
