package rollout_test

import (
	"fmt"
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/detector"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/pkg/rollout"
)

// events is how much happens in a life.
const events = 14

// TestNextKeepsItsPromises lets handlers live through random events, lost and old
// observations, jumps of the clock, restarts and a lost status: 4,000 of them, those
// that show the rarest faults, and in its long form a million.
func TestNextKeepsItsPromises(t *testing.T) {
	t.Parallel()
	keeps := func(seed int64) {
		if err := live(rollout.Next, seed, events); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	for seed := range lives() {
		keeps(seed)
	}
	for _, seed := range late {
		keeps(seed)
	}
	for _, seed := range rare {
		keeps(seed)
	}
}

// rare are lives that broke a promise once, after many thousands that broke none.
var rare = []int64{32521, 107486, 521440, 531485, 541268, 556941}

// lives is how many handlers the property test lets live.
func lives() int64 {
	switch {
	case soak.IsLong("nextKeepsItsPromises"):
		return 1_000_000
	case detector.Enabled:
		return 500
	}
	return 4_000
}

// inTurns lets other handlers take every place for minutes at a time.
func inTurns(next rollouttest.Machine) rollouttest.Machine {
	return func(in rollout.Input) rollout.Decision {
		if in.Now.Unix()/300%2 == 0 {
			in.Turn = &rollout.Turn{Bounds: []rollout.Bound{{Scope: "the cluster", Limit: 1, Taken: 1}}}
		}
		return next(in)
	}
}

// live returns the first promise that a machine breaks in one life.
func live(next rollouttest.Machine, seed int64, events int) error {
	if seed%5 == 2 {
		next = inTurns(next)
	}
	l := rollouttest.NewLife(next, seed)
	if seed%4 == 3 {
		l.Records, l.Transformers = rollouttest.BreakingRecords(), rollouttest.BreakingTransformers()
	}
	l.Invalid, l.Pausing = seed%16 == 5, seed%16 == 13
	if l.Pausing {
		l.Policy.Strategy = v1.StrategyCanary
		if l.Policy.Analysis != nil {
			l.Policy.Analysis.NoData = v1.NoDataFail
		}
	}
	if err := l.Live(events); err != nil {
		return err
	}
	if seed%4 == 0 {
		if err := rollouttest.Deterministic(next, l.Input()); err != nil {
			return fmt.Errorf("%w", err)
		}
	}
	if seed%8 == 1 || l.Pausing {
		return l.End()
	}
	return nil
}
