package rollout_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/random"
	"gati.dev/gati/internal/testing/soak"
)

// scale is how much of TestManyCanaries is run.
type scale struct {
	handlers int
	// shortest and longest bound the pauses of steps, in seconds.
	shortest, longest int
	// quiet is for how long nothing may be written while nothing changes.
	quiet time.Duration
	// patience bounds every wait.
	patience time.Duration
}

var (
	some = scale{handlers: 8, shortest: 2, longest: 6, quiet: 10 * time.Second, patience: 8 * time.Minute}
	many = scale{handlers: 1000, shortest: 20, longest: 60, quiet: time.Minute, patience: 15 * time.Minute}
)

// selectScale is the scale of this run.
func selectScale() scale {
	if soak.IsLong("manyCanaries") {
		return many
	}
	return some
}

// TestManyCanaries takes many handlers through a canary at once: each takes its
// steps one after the other and when its own pauses are over, and while all of them
// wait to be promoted, and when all are done, nothing is written. How late the steps
// come is printed, for a time is the machine's. GATI_SOAK=manyCanaries has 1,000.
func TestManyCanaries(t *testing.T) {
	t.Parallel()
	of := selectScale()
	c := newCrowd(t, of, random.Moments(t))
	c.createHandlers()
	c.awaitAll("v1 serving", func(m *member) bool { return m.weights == "v1 100" && m.phase == v1.RolloutStable })
	c.patchHandlers(func(*member) string { return `{"spec":{"image":"app:v2"}}` })
	c.awaitAll("50 %, waiting for a promotion", func(m *member) bool { return m.weights == "v1 50 v2 50" && m.step == 2 })
	c.assertNoWrites("in a step that lasts until promoted")
	c.patchHandlers(c.makePromotion())
	c.awaitAll("v2 alone", func(m *member) bool { return m.weights == "v2 100" && m.phase == v1.RolloutStable })
	c.assertNoWrites("at the end")

	var lags []time.Duration
	for _, m := range c.members {
		lags = append(lags, m.lags...)
		m.assertWent(t)
	}
	if want := 2 * of.handlers; len(lags) != want {
		t.Errorf("%d steps were taken after a pause, want %d", len(lags), want)
	}
	slices.Sort(lags)
	at := func(percent int) time.Duration {
		return lags[(len(lags)-1)*percent/100].Round(time.Millisecond)
	}
	t.Logf("%d canaries, %d steps after a pause of %d to %d s; behind the clock by %s (median), %s (p99), %s (most)",
		of.handlers, len(lags), of.shortest, of.longest, at(50), at(99), at(100))
	c.assertNoNeedlessWrites()
}

// assertWent holds that a handler went where every canary goes, and never early.
func (m *member) assertWent(t *testing.T) {
	t.Helper()
	want := []string{"v1 100", "v1 100 v2 0", "v1 90 v2 10", "v1 70 v2 30", "v1 50 v2 50", "v1 0 v2 100", "v2 100"}
	if !slices.Equal(m.went, want) {
		t.Errorf("%s went %q, want %q", m.name, m.went, want)
	}
	for _, lag := range m.lags {
		if lag < -tolerated {
			t.Errorf("%s took a step %s early", m.name, -lag)
		}
	}
	counts := map[string]int{}
	for _, e := range m.history {
		counts[e.What]++
	}
	if got := fmt.Sprint(counts); got != "map[Completed:1 Decommissioned:1 Requested:1 Started:2 Step:4]" {
		t.Errorf("the history of %s has %s", m.name, got)
	}
}
