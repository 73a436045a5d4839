package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"errata/internal/settings"
	"errata/pipeline/feed"
	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/pipeline/format/record"
)

const aboutSend = `
ingest send publishes transcripts to the Kafka topic, keyed by run, so that the records of one run stay in order. A file
holds one record, a JSON array of records, or JSON lines, in any known format; what is larger than -max-record is split
between messages. A file that is sent again gives the same runs again, and counts nothing twice.

    ingest send [settings] FILE…         files, folders, or - for standard input; also packed with gzip, zstd or zip
    ingest send -follow [settings] FILE… go on with what is added to files and folders, until stopped

With -follow, files of lines are sent as they grow, and others once they are left alone for a while (ten times
-follow-every); runs are not marked as complete unless -ended says so, and end when they are idle.

It exits 1 when something of a file could not be read; everything else is sent.`

func runSend(ctx context.Context, args []string, w world) error {
	const command = "ingest send"
	set := settings.New(command, aboutSend, w.getenv)
	target := set.Kafka()
	forced := declareFormat(set)
	ended := set.Bool("ended", "", false, "mark the runs as complete; always so for formats that hold whole runs")
	most := set.Size("max-record", "", 900<<10, "records larger than this are split between messages")
	following := set.Bool("follow", "", false, "look for new and grown files again and again, until stopped")
	every := set.Duration("follow-every", "", 2*time.Second, "how often -follow looks")
	partitions := set.Int("partitions", "", 6, "partitions of the topic, where it is missing and created")
	rest, err := set.Parse(args, w.out, version)
	if err != nil {
		return err
	}
	if err := checkFormat(command, *forced); err != nil {
		return err
	}
	if *most < 1 {
		return settings.Usagef("%s: -max-record is %d: give a size such as 900KiB", command, *most)
	}
	if *following && (*every <= 0 || slices.Contains(rest, standardInput)) {
		return settings.Usagef("%s: -follow looks at files and folders, every -follow-every: give these, and a time such as 2s", command)
	}
	cluster, err := target.Connect()
	if err != nil {
		return err
	}
	files, err := listFiles(command, rest)
	if err != nil {
		return err
	}
	admin := feed.NewAdmin(target.Brokers(), cluster.Transport)
	if err := admin.CreateTopic(ctx, target.Topic(), *partitions); err != nil {
		return fmt.Errorf("no answer from Kafka at %s (start it, or set -kafka-brokers): %w", strings.Join(target.Brokers(), ", "), err)
	}
	publisher := newPublisher(target, cluster)
	defer publisher.close()
	s := sender{w: w, forced: *forced, ended: *ended, most: *most, out: publisher, runs: map[string]bool{}, progress: newProgress(w.err, len(files))}
	if *following {
		f := follower{sender: s, args: rest, every: *every, known: map[string]*followed{}, sent: map[uint64]bool{}}
		defer func() { f.close(target.Topic()) }()
		return f.follow(ctx)
	}
	for _, path := range files {
		if err := s.send(ctx, path); err != nil {
			s.progress.clear()
			return fmt.Errorf("send %s: %w", path, err)
		}
	}
	s.close(target.Topic())
	if s.rejected > 0 {
		return errRejected
	}
	return nil
}

// sender goes through files and publishes what is in them.
type sender struct {
	w        world
	forced   string
	ended    bool
	most     int
	out      *publisher
	progress *progress

	runs                     map[string]bool
	files, skipped, rejected int
	records                  int
	bytes                    int64
}

// send publishes one file. Its error means that Kafka did not take it; what is wrong with the file is only told.
func (s *sender) send(ctx context.Context, path string) error {
	documents := s.w.read(path, func(name string, err error) { s.refuse(name, unusable(err)) })
	for _, document := range documents {
		if err := s.sendDocument(ctx, document.name, document.value); err != nil {
			return err
		}
	}
	return nil
}

func (s *sender) sendDocument(ctx context.Context, path string, value []byte) error {
	input := inputOf(path, value, s.forced)
	d, err := format.Detect(input)
	if err != nil {
		if why := whySkipped(err, s.forced); why != "" {
			s.skipped++
			s.progress.clear()
			fmt.Fprintf(s.w.err, "skipped %s: %s\n", path, why)
			return nil
		}
		s.refuse(path, record.Refuse(err))
		return nil
	}
	parts, rejects := format.Split(input, d, s.most)
	s.refuse(path, rejects...)
	if s.ended || d.WholeRuns {
		markEnded(parts)
	}
	s.files++
	return s.publish(ctx, parts)
}

func (s *sender) publish(ctx context.Context, parts []dialect.Part) error {
	if err := s.out.publish(ctx, parts, func(done int) {
		s.progress.show(s.files, s.records+done)
	}); err != nil {
		return err
	}
	for _, part := range parts {
		s.runs[part.Key] = true
		s.bytes += int64(len(part.Value))
	}
	s.records += len(parts)
	return nil
}

func (s *sender) refuse(path string, rejects ...dialect.Reject) {
	if len(rejects) == 0 {
		return
	}
	s.progress.clear()
	s.rejected += len(rejects)
	const most = 20
	for i, reject := range rejects {
		if i == most {
			fmt.Fprintf(s.w.err, "not sent: %s: %d more\n", path, len(rejects)-most)
			return
		}
		fmt.Fprintf(s.w.err, "not sent: %s: %v\n", path, reject)
	}
}

// close prints what was sent.
func (s *sender) close(topic string) {
	s.progress.clear()
	fmt.Fprintf(s.w.out, "sent %d files to %s: %d runs, %d records, %d bytes; %d files skipped, %d records not sent\n",
		s.files, topic, len(s.runs), s.records, s.bytes, s.skipped, s.rejected)
}

// markEnded says of the last part of every run that the run has ended. Earlier parts say that more follow.
func markEnded(parts []dialect.Part) {
	seen := map[string]bool{}
	for i := len(parts) - 1; i >= 0; i-- {
		part := &parts[i]
		if !seen[part.Key] {
			part.Headers[dialect.HeaderEnded] = "true"
		}
		seen[part.Key] = true
	}
}
