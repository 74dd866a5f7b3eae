package e2e

import (
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/naming"
)

// inRollbackWindow keeps a version that has all traffic from being left alone for as long as
// the scenario takes.
func inRollbackWindow(s *v1.GatiHandlerSpec) { s.Rollout.RollbackWindow = "10m" }

// allPodsCrashIn applies a version whose pods all crash from a moment on, which it returns.
func (w when) allPodsCrashIn(version string, after time.Duration) time.Time {
	w.t.Helper()
	at := time.Now().Add(after).UTC().Truncate(time.Second)
	w.applyChanges(setImage(version), addEnv("SAMPLE_CRASH", at.Format(time.RFC3339)))
	return at
}

// reactsWithin is the time in which the route follows a crash that was seen, on two cores that
// the whole cluster shares.
const reactsWithin = 5 * time.Second

// itsPodsAreSeenNotReady waits for a crash, and returns when a pod is first seen not ready
// after it.
func (n then) itsPodsAreSeenNotReady(version string, crash time.Time) time.Time {
	n.t.Helper()
	if time.Now().After(crash) {
		n.t.Fatalf("the pods of %s have crashed before its step was reached", version)
	}
	n.eventually("pod of "+version+" that is not ready", func() error {
		var pods corev1.PodList
		if err := admin.List(n.t.Context(), &pods, client.InNamespace(n.ns), client.MatchingLabels{v1.LabelVersion: naming.Slug(version, 1)}); err != nil {
			return err
		}
		for i := range pods.Items {
			if time.Now().After(crash) && !expand.IsReady(&pods.Items[i]) {
				return nil
			}
		}
		return errors.New("all are ready")
	})
	at := time.Now()
	n.logStep("then a pod of %s is seen not ready %.1fs after the crash", version, at.Sub(crash).Seconds())
	return at
}

// failuresEndWith ends the traffic once it has come to a number of requests, and wants no
// failure once the route has followed what was seen at a moment.
func (n then) failuresEndWith(seen time.Time, ofAtLeast int) {
	n.t.Helper()
	n.eventually(fmt.Sprintf("%d answers", ofAtLeast), func() error {
		if done, _ := n.traffic.Progress(); done < ofAtLeast {
			return fmt.Errorf("%d of %d answered", done, ofAtLeast)
		}
		return nil
	})
	r := n.traffic.stopOnce()
	last := r.LastFailure()
	n.logStep("then %d of %d requests failed, the last %.1fs after a pod was seen not ready:\n%v", r.Failed(), r.Offered, last.Sub(seen).Seconds(), r)
	if last.Sub(seen) > reactsWithin {
		n.t.Errorf("a request failed %s after the first pod was seen not ready", last.Sub(seen))
	}
}
