package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"
)

// tally counts what was done to the programs.
type tally struct {
	ingestKilled, stackKilled, stopped int
	atWork                             int // killed with records still to do
	between                            int // killed when records were stored and not committed
}

// plan says how often a scenario disturbs what.
type plan struct {
	name      string
	seed      uint64
	ingesters int
	kills     int // of an ingester
	stack     int // of the engines, spread over the others
	stops     int // an ingester is stopped until it has lost its partitions, and then goes on
}

// disturbance is one run of a plan.
type disturbance struct {
	plan
	world  *world
	random *rand.Rand
	done   tally
	share  int // records published in each round
}

// disturb publishes the records in portions while ingesters and engines are killed, and returns when all disturbances
// are over and all records published.
func disturb(ctx context.Context, w *world, p plan) (tally, error) {
	rounds := p.kills + p.stops
	d := &disturbance{
		plan: p, world: w, random: rand.New(rand.NewPCG(p.seed, 0)), share: len(w.publisher.records)/max(rounds, 1) + 1,
	}
	consumers := make([]*process, p.ingesters)
	for i := range consumers {
		consumers[i] = w.consumer(fmt.Sprintf("ingest-%d", i))
		if err := consumers[i].start(); err != nil {
			return d.done, err
		}
	}
	for round := range rounds {
		if err := d.round(ctx, round, rounds, consumers[round%len(consumers)]); err != nil {
			return d.done, fmt.Errorf("round %d: %w", round+1, err)
		}
	}
	for _, consumer := range consumers {
		if err := consumer.stop(); err != nil {
			return d.done, err
		}
	}
	return d.done, w.publisher.publish(ctx, len(w.publisher.records))
}

// round publishes a portion and does one thing to one ingester while it works on it.
func (d *disturbance) round(ctx context.Context, round, rounds int, victim *process) error {
	sent := make(chan error, 1)
	go func() { sent <- d.world.publisher.publish(ctx, d.share) }()
	// A fifth of the blows fall at any time, also while the group is being joined; the others while records are stored.
	if d.random.IntN(5) > 0 {
		if err := victim.hear(ctx); err != nil {
			return err
		}
	}
	d.pause(30 + d.share*perRecord)
	if (round+1)*d.stack/rounds > round*d.stack/rounds {
		if err := d.killStack(ctx); err != nil {
			return err
		}
		d.pause(2500)
	}
	if (round+1)*d.stops/rounds > round*d.stops/rounds {
		if err := d.stop(victim); err != nil {
			return err
		}
	} else {
		if err := victim.kill(); err != nil {
			return err
		}
		d.done.ingestKilled++
		if err := d.look(ctx); err != nil {
			return err
		}
		if err := victim.start(); err != nil {
			return err
		}
	}
	return <-sent
}

// perRecord is about how many milliseconds a record takes in small batches.
const perRecord = 8

// look counts at what a kill has struck.
func (d *disturbance) look(ctx context.Context) error {
	toDo, uncommitted, err := d.world.state(ctx)
	if err != nil {
		return err
	}
	if toDo > 0 {
		d.done.atWork++
	}
	if uncommitted > 0 {
		d.done.between++
	}
	return nil
}

// pause waits for a random time of at most so many milliseconds.
func (d *disturbance) pause(most int) {
	time.Sleep(time.Duration(d.random.IntN(most*1000)) * time.Microsecond)
}

// killStack ends broker and database at once, leaves them away for a moment, and brings them back.
func (d *disturbance) killStack(ctx context.Context) error {
	if err := d.world.stack.kill(); err != nil {
		return err
	}
	d.done.stackKilled++
	d.pause(1500)
	return d.world.startStack(ctx)
}

// stop holds an ingester until the others have its partitions, and then lets it go on with what it had in hand.
func (d *disturbance) stop(victim *process) error {
	if err := victim.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	d.done.stopped++
	time.Sleep(session + session/2)
	d.pause(1000)
	return victim.signal(syscall.SIGCONT)
}
