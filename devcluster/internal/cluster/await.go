package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"gati.dev/gati/devcluster/internal/logtail"
	"gati.dev/gati/devcluster/internal/ports"
)

const (
	// startLimit is how long one thing may take to be well. It takes about two
	// seconds; on a machine that is busy with a build, far longer.
	startLimit = 3 * time.Minute
	// askLimit bounds one question, and askInterval is between two.
	askLimit, askInterval = 5 * time.Second, 50 * time.Millisecond
)

// errPortTaken means that another program took a port after it was found free and
// before its component started.
var errPortTaken = errors.New("a port was taken by another program")

// awaitAnswer asks until the answer is nil, or no hope is left: something that was
// started has ended, or the time is up. The log is where to look then.
func (r *run) awaitAnswer(ctx context.Context, what, log string, ask func(context.Context) error) error {
	defer r.progress.Quiet("waiting for " + what)()
	deadline := time.Now().Add(startLimit)
	for {
		err := askOnce(ctx, ask)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if died := r.findDead(); died != nil {
			return died
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s: not well after %s: %w; %s", what, startLimit, err, logtail.Describe(log))
		}
		time.Sleep(askInterval)
	}
}

func askOnce(ctx context.Context, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	return ask(ctx)
}

// findDead tells of a process that was started and has ended. Components are
// looked at in the order of their start, because the first to end is often
// why others do.
func (r *run) findDead() error {
	for _, component := range r.state.Components {
		process := r.started[component.Name]
		if process == nil {
			continue
		}
		select {
		case <-process.Exited():
			return r.diedError(component.Name)
		default:
		}
	}
	return nil
}

func (r *run) diedError(name string) error {
	path := r.logPath(name)
	err := fmt.Errorf("%s has ended; %s", name, logtail.Describe(path))
	log, readErr := os.ReadFile(path)
	if readErr == nil && ports.Taken(string(log)) {
		return fmt.Errorf("%w: %w", errPortTaken, err)
	}
	return err
}
