package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"errata/internal/settings"
)

const about = `
demo starts the embedded Kafka broker and ClickHouse engine, the ingester and the dashboard on loopback, sends
transcripts through them and runs until Ctrl-C. Its data stays below a folder; a second start finds it again.

    demo [settings]                 two simulated weeks of a support agent, cut over to structured errors half way
    demo [settings] FILE…           your own transcripts, in any format that "ingest send" reads`

// run starts everything, waits until the context ends or a part dies, and stops everything.
func run(ctx context.Context, args []string, out io.Writer, getenv func(string) string) error {
	set := settings.New("demo", about, getenv)
	dir := set.String("dir", "", ".errata", "the folder that holds the data")
	listen := set.String("listen", "", "127.0.0.1:8080", "the dashboard's address; another port is taken where this one is in use")
	files, err := set.Parse(args, out, version)
	if err != nil {
		return err
	}
	data, err := newData(*dir, files)
	if err != nil {
		return err
	}
	unlock, err := lock(filepath.Join(data.dir, "lock"))
	if err != nil {
		return err
	}
	defer unlock()

	asked := ctx // ends when somebody asks the demo to stop
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	family := newFamily(filepath.Join(data.dir, "log"), func(err error) { cancel(err) })
	defer family.stop()
	if err := show(ctx, family, data, *listen, out); err != nil {
		return cause(asked, ctx, err)
	}
	<-ctx.Done()
	fmt.Fprintln(out, "\nstopping; the data stays in", data.dir)
	return cause(asked, ctx, nil)
}

// cause prefers why the demo was ended over what failed because of it. Being asked to stop is no failure.
func cause(asked, ctx context.Context, err error) error {
	switch {
	case asked.Err() != nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return err
}

// show starts the parts in the order of the data, sends what was not sent yet, and says where to look.
func show(ctx context.Context, family *family, data data, listen string, out io.Writer) error {
	fmt.Fprintln(out, "starting the embedded Kafka broker and ClickHouse engine …")
	env, err := startStack(ctx, family, data.dir)
	if err != nil {
		return err
	}
	address, err := pickAddress(listen)
	if err != nil {
		return err
	}
	if err := family.start("ingest", env, "run"); err != nil {
		return err
	}
	if err := family.start("dashboard", env, "-listen", address); err != nil {
		return err
	}
	site := "http://" + address
	if err := waitFor(ctx, site+"/readyz", time.Minute); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n    dashboard   %s\n    API         %s/api/v1/loops?by=variant\n\n", site, site)
	if err := data.send(ctx, family, env, destination{site, out}); err != nil {
		return err
	}
	if err := waitUntilStored(ctx, site, out); err != nil {
		return err
	}
	fmt.Fprintf(out, "Look at %s\nCtrl-C stops everything; the data stays in %s. Logs are in %s.\n", site, data.dir, family.logs)
	return nil
}

// startStack starts the engines on free ports and gives the environment by which the others find them.
func startStack(ctx context.Context, family *family, dir string) ([]string, error) {
	ready := filepath.Join(dir, "ready")
	if err := os.Remove(ready); err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("remove the old ready file: %w", err)
	}
	err := family.start("devstack", nil, "-dir", filepath.Join(dir, "stack"), "-kafka", "127.0.0.1:0", "-clickhouse", "127.0.0.1:0", "-ready", ready)
	if err != nil {
		return nil, err
	}
	return waitForFile(ctx, ready, 2*time.Minute)
}
