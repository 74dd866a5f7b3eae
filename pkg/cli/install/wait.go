package install

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gati.dev/gati/pkg/cli/doctor"
	"gati.dev/gati/pkg/cli/doctor/checkup"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/output"
)

// lookEvery is how often a wait looks.
const lookEvery = time.Second

// awaited are the checks that an installation has to pass. The others concern the
// user's rights and the rest of the cluster.
var awaited = []string{"crds", "hooks", "policies", "gati-webhook", "gati-controller", "ca-bundle", "admission", "conversion"}

// awaitHealthy waits until the doctor finds nothing wrong with the installation.
func (o *options) awaitHealthy(ctx context.Context) error {
	return o.pollUntil(ctx, func(ctx context.Context) (string, error) {
		found, err := doctor.Examine(ctx, o.env, false)
		if err != nil {
			return "", err
		}
		return findObstacle(found), nil
	})
}

// findObstacle is the first thing in the way, empty when there is none.
func findObstacle(found []checkup.Finding) string {
	for _, f := range found {
		if f.Level != checkup.Problem || !slices.Contains(awaited, f.Check) {
			continue
		}
		if f.Object != "" {
			return f.Object + " " + f.Message
		}
		return f.Message
	}
	return ""
}

// pollUntil looks until no obstacle is left, and writes each new obstacle to standard error.
func (o *options) pollUntil(ctx context.Context, look func(context.Context) (string, error)) error {
	began, last := o.env.Now(), ""
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	for {
		now, err := look(ctx)
		if err != nil && ctx.Err() == nil {
			now = err.Error() // the server itself may be busy with what was applied
		}
		took := o.env.Now().Sub(began).Round(100 * time.Millisecond)
		switch {
		case err == nil && now == "":
			fmt.Fprintf(o.env.Streams.ErrOut, "done after %s\n", took)
			return nil
		case now != last && now != "":
			fmt.Fprintf(o.env.Streams.ErrOut, "%6s  waiting: %s\n", took, output.Line(now))
			last = now
		}
		select {
		case <-ctx.Done():
			return exit.With(exit.Timeout, fmt.Errorf("not done within %s: %s", o.timeout, last))
		case <-time.After(lookEvery):
		}
	}
}
