package rollout_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// TestOtherWordsBeginNothing applies a spec in other words, one field after another: no
// revision is cut, no child changes, and a version that was rejected stays so.
func TestOtherWordsBeginNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.inWords("v1").Obj())
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	w.applyHandler(w.inWords("v2").Obj())
	w.awaitPhase("users", "v1 90 v2 10", v1.RolloutProgressing)
	w.requestAsAdmin("users", "abort")
	w.awaitPhase("users", "v1 100 v2 0", v1.RolloutStable)
	w.awaitStory("users", "v2 is not tried again")
	before := w.childrenAsWritten()
	for i, change := range []func(*v1.GatiHandlerSpec){
		func(s *v1.GatiHandlerSpec) { s.HealthCheck.Interval = "1m" },
		func(s *v1.GatiHandlerSpec) { s.Rollout.ProgressDeadline, s.Rollout.Steps[0].Pause = "2m", "1m" },
		func(s *v1.GatiHandlerSpec) { s.Resources.Limits[corev1.ResourceMemory] = resource.MustParse("1e9") },
		func(s *v1.GatiHandlerSpec) { s.Resources.Limits[corev1.ResourceCPU] = resource.MustParse("1000m") },
		func(s *v1.GatiHandlerSpec) { s.Pod = &v1.PodSettings{TerminationGracePeriodSeconds: new(int64(30))} },
		func(s *v1.GatiHandlerSpec) { s.Env = []corev1.EnvVar{{Name: "HOST", Value: "0.0.0.0"}} },
	} {
		w.changeHandler("users", func(h *v1.GatiHandler) { change(&h.Spec) })
		w.eventually(fmt.Sprintf("a decision on spec %d", i), func() error {
			if h := w.readHandler("users"); h.Status.ObservedGeneration != h.Generation {
				return errors.New("not yet")
			}
			return nil
		})
		if after := w.childrenAsWritten(); !slices.Equal(before, after) {
			t.Fatalf("after spec %d:\n%v\nbefore:\n%v\n%s", i, after, before, describeHandler(w.readHandler("users")))
		}
		w.awaitStory("users", "v2 is not tried again")
	}
}

// inWords returns a canary whose settings have other words.
func (w *world) inWords(version string) *builders.Handler {
	return w.makeCanary(version).Resources(v1.Resources{Limits: corev1.ResourceList{"cpu": resource.MustParse("1"), "memory": resource.MustParse("1G")}}).
		Spec(func(s *v1.GatiHandlerSpec) {
			s.HealthCheck = &v1.HealthCheck{Interval: "60s"}
			s.Rollout.ProgressDeadline, s.Rollout.Steps = "120s", []v1.RolloutStep{{Weight: 10, Pause: "60s"}}
			s.Versions.MinAge, s.Versions.Drain.Deadline = "1h", "1h"
		})
}

// childrenAsWritten lists the revisions and Deployments of a world with their generations.
func (w *world) childrenAsWritten() (out []string) {
	w.t.Helper()
	var revisions appsv1.ControllerRevisionList
	var deployments appsv1.DeploymentList
	for _, list := range []client.ObjectList{&revisions, &deployments} {
		if err := admin.List(w.t.Context(), list, client.InNamespace(w.ns)); err != nil {
			w.t.Fatal(err)
		}
	}
	for _, r := range revisions.Items {
		out = append(out, "revision "+r.Name)
	}
	for _, d := range deployments.Items {
		out = append(out, fmt.Sprintf("Deployment %s %d", d.Name, d.Generation))
	}
	slices.Sort(out)
	return out
}
