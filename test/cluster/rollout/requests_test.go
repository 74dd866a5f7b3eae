package rollout_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// makeLongCanary returns a canary whose steps last until a user promotes.
func (w *world) makeLongCanary(version string) *builders.Handler {
	return w.makeCanary(version).Spec(func(s *v1.GatiHandlerSpec) {
		s.Rollout.Steps = []v1.RolloutStep{{Weight: 10}, {Weight: 50}, {Weight: 100}}
		s.Rollout.RollbackWindow = "1h"
		s.Versions.Drain.Deadline = "1h"
	})
}

// TestRequestsMoveACanary walks promote, pause, resume, rollback and restart.
func TestRequestsMoveACanary(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.makeLongCanary("v1").Obj())
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	w.applyHandler(w.makeLongCanary("v2").Obj())
	w.awaitPhase("users", "v1 90 v2 10", v1.RolloutProgressing)

	w.requestAsAdmin("users", "pause")
	w.eventually("a frozen rollout", func() error {
		if h := w.readHandler("users"); h.Status.Rollout.Frozen == nil {
			return errors.New("not yet")
		}
		return nil
	})
	w.requestAsAdmin("users", "resume")
	w.requestAsAdmin("users", "promote")
	w.awaitPhase("users", "v1 50 v2 50", v1.RolloutProgressing)

	w.requestAsAdmin("users", "rollback")
	h := w.awaitPhase("users", "v1 100 v2 0", v1.RolloutStable)
	if len(h.Status.Rollout.Rejected) != 1 || h.Status.Rollout.Pinned == nil {
		t.Errorf("nothing is rejected, or nothing is pinned:\n%s", describeHandler(h))
	}
	// The spec still asks for v2; scaling is no change of what it asks for.
	w.changeHandler("users", func(h *v1.GatiHandler) { h.Spec.Replicas = ptr[int32](3) })
	time.Sleep(2 * time.Second)
	w.awaitPhase("users", "v1 100 v2 0", v1.RolloutStable)

	w.applyHandler(w.makeLongCanary("v3").Obj())
	w.awaitPhase("users", "v1 90 v2 0 v3 10", v1.RolloutProgressing)
	w.requestAsAdmin("users", "promote:full")
	w.awaitPhase("users", "v1 0 v2 0 v3 100", v1.RolloutStable)
	w.requestAsAdmin("users", "restart")
	w.eventually("new pods", func() error {
		var pods corev1.PodList
		if err := admin.List(t.Context(), &pods, client.InNamespace(w.ns), client.MatchingLabels{v1.LabelWorkload: "v3"}); err != nil {
			return err
		}
		for _, p := range pods.Items {
			if p.Annotations[v1.AnnotationRestartedAt] == "" {
				return errors.New(p.Name + " is an old one")
			}
		}
		return nil
	})
}

// TestSupersededCanary holds that a newer version starts from stable.
func TestSupersededCanary(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.makeLongCanary("v1").Obj())
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	w.applyHandler(w.makeLongCanary("v2").Obj())
	w.awaitPhase("users", "v1 90 v2 10", v1.RolloutProgressing)
	w.requestAsAdmin("users", "promote")
	w.awaitPhase("users", "v1 50 v2 50", v1.RolloutProgressing)
	w.applyHandler(w.makeLongCanary("v3").Obj())
	w.awaitPhase("users", "v1 90 v2 0 v3 10", v1.RolloutProgressing)
}

// TestVersionThatNeverBecomesReady holds that it gets no traffic, and that the
// rollback says why with numbers.
func TestVersionThatNeverBecomesReady(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.makeCanary("v1").Obj())
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	w.applyHandler(w.makeCanary("v2").Spec(func(s *v1.GatiHandlerSpec) {
		s.Rollout.ProgressDeadline = "45s" // long enough for a busy scheduler to say why
		s.Pod = &v1.PodSettings{NodeSelector: map[string]string{"there": "is-none"}}
	}).Obj())
	w.eventually("a rejected version", func() error {
		h := w.readHandler("users")
		for _, v := range h.Status.Versions {
			if v.Version == "v2" && v.Weight > 0 {
				t.Fatalf("v2 has traffic:\n%s", describeHandler(h))
			}
		}
		if len(h.Status.Rollout.Rejected) == 0 {
			return errors.New(describeHandler(h))
		}
		if why := h.Status.Rollout.Rejected[0].Reason; !strings.Contains(why, "0 of 1 pods ready") || !strings.Contains(why, "Unschedulable") {
			t.Errorf("the reason is %q", why)
		}
		return nil
	})
	w.awaitPhase("users", "v1 100 v2 0", v1.RolloutStable)
}

// TestAFirstVersionThatNeverCameUpGoes holds that there is no drain of a
// version that has never served, once another has taken its place.
func TestAFirstVersionThatNeverCameUpGoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	draining := func(version string) *builders.Handler {
		return w.makeCanary(version).Spec(func(s *v1.GatiHandlerSpec) { s.Versions.Drain.Deadline = "1h" })
	}
	w.applyHandler(draining("v1").Spec(func(s *v1.GatiHandlerSpec) {
		s.Pod = &v1.PodSettings{NodeSelector: map[string]string{"there": "is-none"}}
	}).Obj())
	w.awaitStory("users", "v1 is starting: 0 of 4 pods ready")
	w.applyHandler(draining("v2").Obj())
	h := w.awaitPhase("users", "v2 100", v1.RolloutStable)
	if !strings.Contains(describeHandler(h), "none of its pods was ever ready") {
		t.Errorf("it does not say why v1 went:\n%s", describeHandler(h))
	}
}

func ptr[T any](v T) *T { return &v }
