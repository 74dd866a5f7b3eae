package rollout_test

import (
	"strings"
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// splitting is a Canary without a gateway in its first step of 25 %.
func splitting(t *testing.T, replicas int32) *rollouttest.Life {
	t.Helper()
	l := settled(t, v1.StrategyCanary)
	l.ChangePolicy(func(p *rollout.Policy) {
		p.Gateway, p.Replicas = false, replicas
		p.Steps = []rollout.Step{{Weight: 25}, {Weight: 50}, {Weight: 80}}
	})
	pass(t, l, 10)
	l.Declare("v2", 1)
	pass(t, l, 20)
	return l
}

// TestSharesByPodsAreReal holds that a message has the share that pods come to, and then
// the weight that they stand for.
func TestSharesByPodsAreReal(t *testing.T) {
	tests := map[int32]struct{ step, promoted, paused string }{
		2: {"v2 has 50 % (step 1 of 4; 1 of 2 pods for 25 %) until it is promoted; the next step has the same pods.",
			"v2 moves from step 1 (50 %, 1 of 2 pods for 25 %) to step 2 (50 %)", "Paused by jane at step 1 of 4 (50 %, 1 of 2 pods for 25 %)."},
		4: {"v2 has 25 % (step 1 of 4) until it is promoted; 50 % is next.",
			"v2 moves from step 1 (25 %) to step 2 (50 %)", "Paused by jane at step 1 of 4 (25 %)."},
	}
	for replicas, want := range tests {
		l := splitting(t, replicas)
		if l.Last.Reason != want.step {
			t.Errorf("%d pods: %q, want %q", replicas, l.Last.Reason, want.step)
		}
		l.Ask(request.Pause, "")
		look(t, l)
		if l.Last.Reason != want.paused {
			t.Errorf("%d pods: %q, want %q", replicas, l.Last.Reason, want.paused)
		}
		out := rollout.Effect(l.Input(), requestOf(request.Promote, ""))
		if out.Does != want.promoted {
			t.Errorf("%d pods: %q, want %q", replicas, out.Does, want.promoted)
		}
		if shown := len(out.Weights) > 0; shown != (replicas == 4) {
			t.Errorf("%d pods: the shares change: %+v", replicas, out.Weights)
		}
		steps := 0
		for _, e := range l.State.Rollout.History {
			if e.What == "Step" && strings.HasPrefix(want.step, e.To[:len("v2")]) {
				steps++
				if share, _, _ := strings.Cut(strings.TrimPrefix(e.To, "v2 "), " %"); share != map[int32]string{2: "50", 4: "25"}[replicas] {
					t.Errorf("%d pods: the history has %q", replicas, e.To)
				}
			}
		}
		if steps == 0 {
			t.Errorf("%d pods: the history has no step", replicas)
		}
	}
}

// TestSharesByPodsUnderManual holds the same of the shares that records request.
func TestSharesByPodsUnderManual(t *testing.T) {
	l := settled(t, v1.StrategyManual)
	l.ChangePolicy(func(p *rollout.Policy) { p.Gateway, p.Replicas = false, 2 })
	pass(t, l, 10)
	l.Declare("v2", 1)
	pass(t, l, 12)
	change := rollout.SharesWith(l.Input(), trafficOf(changedRecords(l, "v2=25")))
	if before, after := formatShares(change.Before), formatShares(change.After); before != "v1 100" || after != "v1 50 v2 50" {
		t.Errorf("predicted %s, then %s", before, after)
	}
	requestShares(l, "v2=25")
	pass(t, l, 20)
	if want := "v1 50 % (75 % wanted), v2 50 % (25 % wanted), requested by the version records."; l.Last.Reason != want {
		t.Errorf("%q, want %q", l.Last.Reason, want)
	}
}

// TestSplitPods is the table of what weights come to in pods.
func TestSplitPods(t *testing.T) {
	for _, tc := range []struct{ weight, replicas, n, all int32 }{
		{0, 4, 0, 4}, {100, 4, 4, 4}, {25, 2, 1, 2}, {25, 4, 1, 4}, {10, 1, 1, 2}, {80, 2, 1, 2}, {10, 5, 1, 5}, {50, 3, 1, 3}, {34, 3, 1, 3}, {99, 10, 9, 10}, {25, 0, 0, 0},
	} {
		if n, all := rollout.SplitPods(tc.weight, tc.replicas); n != tc.n || all != tc.all {
			t.Errorf("%d %% of %d pods: %d of %d, want %d of %d", tc.weight, tc.replicas, n, all, tc.n, tc.all)
		}
	}
}

// TestAStepSaysWhatServes holds that a step without a gateway, which starts its pods, does not
// read as if they were called before they are ready, and that one with a gateway counts them.
func TestAStepSaysWhatServes(t *testing.T) {
	for gateway, want := range map[bool]string{true: "1 of 1 pods ready", false: "each pod serves once it is ready"} {
		l := settled(t, v1.StrategyCanary)
		l.ChangePolicy(func(p *rollout.Policy) {
			p.Gateway, p.Replicas, p.Steps = gateway, 4, []rollout.Step{{Weight: 25}}
		})
		pass(t, l, 10)
		l.Declare("v2", 1)
		pass(t, l, 20)
		var got string
		for _, e := range l.State.Rollout.History {
			if e.What == "Step" && strings.HasPrefix(e.To, "v2 25") {
				got = e.Why
			}
		}
		if got != want {
			t.Errorf("gateway %v: the step is taken because %q, want %q", gateway, got, want)
		}
	}
}
