package rollout_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// listCheckJobs returns those of a handler's checks.
func (w *world) listCheckJobs() []batchv1.Job {
	w.t.Helper()
	var list batchv1.JobList
	if err := admin.List(w.t.Context(), &list, client.InNamespace(w.ns), client.HasLabels{v1.LabelCheck}); err != nil {
		w.t.Fatal(err)
	}
	return list.Items
}

// makeCheckedCanary returns a canary with a check.
func (w *world) makeCheckedCanary(version string, c v1.RolloutCheck) *v1.GatiHandler {
	return w.makeCanary(version).Spec(func(s *v1.GatiHandlerSpec) { s.Rollout.Checks = []v1.RolloutCheck{c} }).Obj()
}

// TestChecksRunOnce holds that each check of a canary is one Job, which the handler owns,
// and that the rollout goes on when it has ended.
func TestChecksRunOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	step := int32(2)
	spec := func(version string) *v1.GatiHandler {
		h := w.makeCheckedCanary(version, v1.RolloutCheck{Name: "first", When: v1.CheckBeforeTraffic})
		h.Spec.Rollout.Checks = append(h.Spec.Rollout.Checks,
			v1.RolloutCheck{Name: "half", When: v1.CheckStep, Step: &step}, v1.RolloutCheck{Name: "last", When: v1.CheckAfterPromotion})
		return h
	}
	w.applyHandler(spec("v1"))
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	if jobs := w.listCheckJobs(); len(jobs) > 0 {
		t.Errorf("the first version was checked: %v", jobs)
	}
	film := w.recordHandler("users")
	w.applyHandler(spec("v2"))
	h := w.awaitPhase("users", "v2 100", v1.RolloutStable)
	assertPassed(t, film.awaitStatesUntil(h), acceptedWeights, "v1 90 v2 10", "v1 50 v2 50", "v1 0 v2 100", "v2 100")
	jobs := w.listCheckJobs()
	if len(jobs) != 3 || len(h.Status.Rollout.Checks) != 3 {
		t.Errorf("%d Jobs, %+v", len(jobs), h.Status.Rollout.Checks)
	}
	for i, name := range []string{"first", "half", "last"} {
		if s := h.Status.Rollout.Checks[i]; s.Name != name || s.Verdict != v1.CheckPassed {
			t.Errorf("%+v, want that %s has passed", s, name)
		}
	}
	for i := range jobs {
		if owner := jobs[i].OwnerReferences; len(owner) != 1 || owner[0].UID != h.UID {
			t.Errorf("%s is owned by %+v", jobs[i].Name, owner)
		}
	}
}

// TestACheckThatDoesNotEnd holds that a version has no traffic while its check has no room
// to run, that its timeout fails it, and that a promotion goes on without it.
func TestACheckThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	large := func(version string, timeout v1.Duration) *v1.GatiHandler {
		return w.makeCheckedCanary(version, v1.RolloutCheck{
			Name: "smoke", When: v1.CheckBeforeTraffic, Timeout: timeout,
			Job: v1.CheckJob{Resources: &v1.Resources{Requests: corev1.ResourceList{"cpu": resource.MustParse("9k")}}},
		})
	}
	w.applyHandler(large("v1", "1h"))
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	w.applyHandler(large("v2", "1h"))
	w.awaitStory("users", "its check smoke runs in Job handler-users-smoke-")
	w.applyHandler(large("v2", "2s"))
	h := w.awaitPhase("users", "v1 100 v2 0", v1.RolloutStable)
	if r := h.Status.Rollout.Rejected; len(r) != 1 || !strings.Contains(r[0].Reason, "its check smoke did not end within its timeout (2s)") {
		t.Errorf("rejected: %+v", r)
	}

	w.applyHandler(large("v3", "1h"))
	w.awaitStory("users", "its check smoke runs in Job handler-users-smoke-")
	w.requestAsAdmin("users", "promote")
	w.awaitPhase("users", "v3 100", v1.RolloutStable)
	w.eventually("no Job that runs", func() error {
		for _, j := range w.listCheckJobs() {
			if len(j.Status.Conditions) == 0 {
				return fmt.Errorf("%s runs", j.Name)
			}
		}
		return nil
	})
}

// TestAFailedCheckIsTheReason fails the pod of a check, as a node would report it, and
// wants the end of its log in the reason.
func TestAFailedCheckIsTheReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	spec := func(version string) *v1.GatiHandler {
		return w.makeCheckedCanary(version, v1.RolloutCheck{
			Name: "smoke", When: v1.CheckBeforeTraffic,
			Job: v1.CheckJob{Resources: &v1.Resources{Requests: corev1.ResourceList{"cpu": resource.MustParse("9k")}}},
		})
	}
	w.applyHandler(spec("v1"))
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	w.applyHandler(spec("v2"))
	w.eventually("the pod of the check", func() error { return w.failPods("GET /users/7\nstatus 500\n") })
	h := w.awaitPhase("users", "v1 100 v2 0", v1.RolloutStable)
	if r := h.Status.Rollout.Rejected; len(r) != 1 || !strings.Contains(r[0].Reason, "its check smoke failed: exit code 1: GET /users/7 | status 500") {
		t.Errorf("rejected: %+v", r)
	}
}

// failPods has every pod of a check end with a log. No node takes them: they are too
// large.
func (w *world) failPods(log string) error {
	var list corev1.PodList
	if err := admin.List(w.t.Context(), &list, client.InNamespace(w.ns), client.HasLabels{v1.LabelCheck}); err != nil {
		return err
	}
	if len(list.Items) == 0 {
		return errors.New("there is none")
	}
	for i := range list.Items {
		p := &list.Items[i]
		before := p.DeepCopy()
		p.Status.Phase = corev1.PodFailed
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: "check", Image: p.Spec.Containers[0].Image,
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", Message: log}},
		}}
		if err := admin.Status().Patch(w.t.Context(), p, client.MergeFrom(before)); err != nil {
			return err
		}
	}
	return nil
}
