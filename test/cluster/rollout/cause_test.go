package rollout_test

import (
	"errors"
	"strings"
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/remedy"
)

// makeHastyHandler returns a handler whose rollouts have three seconds for their pods.
func (w *world) makeHastyHandler(version string, strategy v1.Strategy) *builders.Handler {
	return w.makeCanary(version).Strategy(strategy).Spec(func(s *v1.GatiHandlerSpec) { s.Rollout.ProgressDeadline = "3s" })
}

// TestAQuotaRejectsNoVersion holds that a canary that a quota leaves no room is Stalled
// once its deadline is over, keeps its place, and goes on once there is room.
func TestAQuotaRejectsNoVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.makeCanary("v1").Obj())
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	quota := w.enforceQuota("4")
	w.applyHandler(w.makeCanary("v2").Obj())
	// Only now does the time count: until the ReplicaSet says why it has no pods, a short
	// deadline would be that of a version.
	w.awaitStory("users", "exceeded quota: pods")
	w.changeHandler("users", func(h *v1.GatiHandler) { h.Spec.Rollout.ProgressDeadline = "3s" })
	h := w.awaitStory("users", "Stalled=True", "exceeded quota: pods")
	ro := h.Status.Rollout
	if len(ro.Rejected) > 0 || ro.Target == nil || ro.WaitingFor.Reason != v1.WaitingForInfrastructure {
		t.Errorf("rejected %+v, waiting for %+v:\n%s", ro.Rejected, ro.WaitingFor, describeHandler(h))
	}
	if shown := w.executeExplained(remedy.ShowDeployment); !strings.Contains(shown, "FailedCreate") {
		t.Errorf("the Deployment does not say what refuses its pods:\n%s", shown)
	}
	// However busy the machine is, the pods have their time now.
	w.changeHandler("users", func(h *v1.GatiHandler) { h.Spec.Rollout.ProgressDeadline = "10m" })
	if err := admin.Delete(t.Context(), quota); err != nil {
		t.Fatal(err)
	}
	w.awaitPhase("users", "v2 100", v1.RolloutStable)
}

// TestAPausedChildRejectsNoVersion holds that a Deployment that someone has paused is named
// with its remedy, costs the version nothing, and that the rollout goes on once doctor --fix has
// resumed it.
func TestAPausedChildRejectsNoVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.makeHastyHandler("v1", v1.StrategyRollingUpdate).Obj())
	w.awaitLevel("v1", "")
	if out, err := env.Shell(t.Context(), "kubectl rollout pause deployment handler-users -n "+w.ns); err != nil {
		t.Fatal(out)
	}
	w.applyHandler(w.makeHastyHandler("v2", v1.StrategyRollingUpdate).Obj())
	h := w.awaitStory("users", "Stalled=True", "Deployment handler-users is paused")
	if ro := h.Status.Rollout; len(ro.Rejected) > 0 || ro.Target == nil || ro.WaitingFor.Reason != v1.WaitingForInfrastructure {
		t.Errorf("rejected %+v, waiting for %+v:\n%s", ro.Rejected, ro.WaitingFor, describeHandler(h))
	}
	// However busy the machine is, the pods have their time now.
	w.changeHandler("users", func(h *v1.GatiHandler) { h.Spec.Rollout.ProgressDeadline = "10m" })
	// Others of the cluster may have problems as well; those are no matter of this test.
	w.executeFix(remedy.ResumeDeployment)
	w.awaitLevel("v2", "")
}

// executeFix holds that doctor --fix runs the command of a remedy.
func (w *world) executeFix(r remedy.Remedy) {
	w.t.Helper()
	out, err := env.Shell(w.t.Context(), "kubectl gati doctor --fix --yes -n "+w.ns)
	if command := r.For(w.ns, "handler-users"); !strings.Contains(out, command+"\n") {
		w.t.Errorf("doctor did not run %s: %v\n%s", command, err, out)
	}
}

// TestARollingUpdateGoesBackByItself holds that a template that no node accepts, and that
// asks for another node than the one before, is rejected at its deadline.
func TestARollingUpdateGoesBackByItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.makeHastyHandler("v1", v1.StrategyRollingUpdate).Obj())
	w.awaitLevel("v1", "")
	w.applyHandler(w.makeHastyHandler("v2", v1.StrategyRollingUpdate).Spec(func(s *v1.GatiHandlerSpec) {
		s.Pod = &v1.PodSettings{NodeSelector: map[string]string{"disk": "none"}}
	}).Obj())
	w.eventually("the end of v2", func() error {
		if ro := w.readHandler("users").Status.Rollout; len(ro.Rejected) != 1 || ro.Rejected[0].Version != "v2" {
			return errors.New("it is not rejected")
		}
		return nil
	}, func() string { return describeHandler(w.readHandler("users")) })
	w.awaitLevel("v1", "")
	if d := w.readDeployment("handler-users"); len(d.Spec.Template.Spec.NodeSelector) > 0 {
		t.Errorf("it runs the template that no node accepts: %v", d.Spec.Template.Spec.NodeSelector)
	}
}
