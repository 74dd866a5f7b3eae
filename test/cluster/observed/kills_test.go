package observed

import (
	"context"
	"fmt"
	"testing"

	v1 "gati.dev/gati/api/v1"
)

// TestAKillCountsNothingTwice kills the controllers again and again while a canary is
// judged. What is counted of the new version is never more than its pods have counted, and
// the tests go on from where they were.
func TestAKillCountsNothingTwice(t *testing.T) {
	w := newWorld(t)
	w.applyHandler(w.makeUsersHandler("v1"))
	w.awaitSettled("v1")
	source.setTraffic(w.ns, "v1", traffic{requests: 400})
	source.setTraffic(w.ns, "v2", traffic{requests: 40})
	h := w.makeUsersHandler("v2")
	h.Spec.Rollout.Steps = []v1.RolloutStep{{Weight: 50, Pause: "1h"}}
	w.applyHandler(h)
	last := w.awaitCounted(0)
	for range 3 {
		if err := webhook.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := webhook.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
		now := w.awaitCounted(last.Target.Requests)
		before, after, same := compareCounters(last.TargetCounters, now.TargetCounters)
		if now.Target.Requests > after {
			t.Errorf("%d requests are counted, the pods have had %d", now.Target.Requests, after)
		}
		if same && now.Target.Requests-last.Target.Requests != after-before {
			t.Errorf("from %d to %d requests are counted, the pods went from %d to %d", last.Target.Requests, now.Target.Requests, before, after)
		}
		last = now
	}
}

// awaitCounted waits until more requests of the target are counted, and returns their state.
func (w *world) awaitCounted(moreThan int64) *v1.CountedStatus {
	w.t.Helper()
	h := w.awaitHandler(fmt.Sprintf("more than %d requests", moreThan), func(h *v1.GatiHandler) error {
		ro := h.Status.Rollout
		if ro == nil || len(ro.Analysis) != 1 || ro.Analysis[0].Counted == nil || ro.Analysis[0].Counted.TargetCounters == nil || ro.Analysis[0].Samples <= moreThan {
			return fmt.Errorf("%+v", ro)
		}
		return nil
	})
	return h.Status.Rollout.Analysis[0].Counted
}

// compareCounters returns the sums of two counters, and whether they are of the same pods.
func compareCounters(was, is *v1.CountersStatus) (before, after int64, same bool) {
	same = len(was.Instances) == len(is.Instances)
	for _, one := range was.Instances {
		before += one.Requests
	}
	for key, one := range is.Instances {
		after += one.Requests
		_, known := was.Instances[key]
		same = same && known
	}
	return before, after, same
}
