package rollout_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gati.dev/gati/internal/testing/detector"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/pkg/rollout"
)

// days is how long handlers live in the simulation.
const days = 30

// TestSimulation lets 40 handlers live for a month, in its long form ten thousand: a
// release every few days, some of them bad, nodes that fail, gateways that lag and
// refuse, people who promote, pause and roll back, controllers that die. It prints what
// came of it.
func TestSimulation(t *testing.T) {
	if detector.Enabled {
		t.Skip("one goroutine; TestNextKeepsItsPromises lives the same lives under the race detector")
	}
	t.Parallel()
	handlers := 40
	if soak.IsLong("simulation") {
		handlers = 10_000
	}
	outcomes, looks := map[string]int{}, 0
	for seed := range int64(handlers) {
		l := rollouttest.NewLife(rollout.Next, 1_000_000+seed)
		n, err := l.Month(days * 24 * time.Hour)
		if err != nil {
			t.Fatalf("handler %d: %v", seed, err)
		}
		looks += n
		for what, n := range l.Outcomes {
			outcomes[what] += n
		}
	}
	t.Logf("%d handlers, %d days, %d decisions, 0 violations\n%s", handlers, days, looks, table(outcomes))
	for _, what := range []string{"Started", "Step", "Completed", "RolledBack", "Superseded", "Requested", "Refused", "Failed", "Weights", "Decommissioned"} {
		if outcomes[what] == 0 {
			t.Errorf("nothing was ever %s: the simulation misses something", what)
		}
	}
}

func table(outcomes map[string]int) string {
	var names []string
	for name := range outcomes {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "  %-16s %7d\n", name, outcomes[name])
	}
	return b.String()
}
