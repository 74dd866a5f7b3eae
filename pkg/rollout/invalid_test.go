package rollout_test

import (
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// halfway is a canary at half of the traffic whose spec cannot be applied from now on.
func halfway(t *testing.T) *rollouttest.Life {
	t.Helper()
	l := settled(t, v1.StrategyCanary)
	l.Policy.Steps = []rollout.Step{{Weight: 50, Pause: 5 * time.Minute}}
	l.Declare("v2", 1)
	pass(t, l, 12)
	if w := weightOf(&l.Last, "v2"); w != 50 {
		t.Fatalf("v2 has %d %%, want 50: %s", w, l.Last.Reason)
	}
	next := l.Next
	l.Next = func(in rollout.Input) rollout.Decision {
		in.HasFaults = true
		return next(in)
	}
	return l
}

// TestASpecThatCannotBeAppliedGoesBackOnly holds that a canary whose spec has turned invalid goes
// no further, and goes back: by itself when its pods are gone, and when a user asks for it.
func TestASpecThatCannotBeAppliedGoesBackOnly(t *testing.T) {
	t.Run("waits", func(t *testing.T) {
		l := halfway(t)
		pass(t, l, 60)
		w := l.State.Rollout.WaitingFor
		if got := weightOf(&l.Last, "v2"); got != 50 || w == nil || w.Reason != v1.WaitingForSpecChange {
			t.Errorf("v2 has %d %%, want 50; waiting for %+v", got, w)
		}
		l.Next = rollout.Next
		pass(t, l, 60)
		if got := l.State.Rollout.Stable.Version; got != "v2" {
			t.Errorf("once the spec can be applied again, %s is stable: %s", got, l.Last.Reason)
		}
	})
	t.Run("its pods are gone", func(t *testing.T) {
		l := halfway(t)
		l.Cluster.Qualities["v2-r1"] = rollouttest.NeverReady
		pass(t, l, 120)
		if got := weightOf(&l.Last, "v2"); got != 0 {
			t.Errorf("v2 has %d %% without a ready pod: %s", got, l.Last.Reason)
		}
	})
	for _, verb := range []request.Verb{request.Abort, request.Rollback} {
		t.Run(string(verb), func(t *testing.T) {
			l := halfway(t)
			if got := handle(t, l, verb, ""); got.Refused {
				t.Fatalf("refused: %s", got.Outcome)
			}
			pass(t, l, 12)
			if got := weightOf(&l.Last, "v2"); got != 0 {
				t.Errorf("v2 has %d %%: %s", got, l.Last.Reason)
			}
		})
	}
}
