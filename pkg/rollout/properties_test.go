package rollout_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"gati.dev/gati/internal/testing/detector"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/rollout"
)

// casesVariable names the environment variable that sets how many lives the
// property test lives.
const casesVariable = "GATI_TEST_CASES"

// events is how much happens in a life.
const events = 14

// TestNextKeepsItsPromises lets handlers live through random events, lost and old
// observations, jumps of the clock, restarts and a lost status.
func TestNextKeepsItsPromises(t *testing.T) {
	t.Parallel()
	for seed := range int64(cases(t)) {
		if err := live(rollout.Next, seed, events); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func cases(t *testing.T) int {
	t.Helper()
	if text := os.Getenv(casesVariable); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("%s: %v", casesVariable, err)
		}
		return n
	}
	if detector.Enabled {
		return 500
	}
	return 100_000
}

// live returns the first promise that a machine breaks in one life.
func live(next rollouttest.Machine, seed int64, events int) error {
	l := rollouttest.NewLife(next, seed)
	if err := l.Live(events); err != nil {
		return err
	}
	if seed%4 == 0 {
		if err := rollouttest.Deterministic(next, l.Input()); err != nil {
			return fmt.Errorf("%w", err)
		}
	}
	if seed%8 == 1 {
		return l.End()
	}
	return nil
}
