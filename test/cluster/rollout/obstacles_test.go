package rollout_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/remedies"
	"gati.dev/gati/pkg/remedy"
)

// TestAnObstacleHasAName does to children what stops them, and holds that the handler says
// which child, which field, who and the command that ends it; that no version is rejected for
// it; and that the handler goes on once that command is executed as it is printed.
// TestAPausedChildRejectsNoVersion has the pause.
func TestAnObstacleHasAName(t *testing.T) {
	t.Run("no pods", scaledToZero)
	t.Run("pods that count late", countedLate)
	t.Run("finalizer", heldByFinalizer)
	t.Run("autoscaler beside ours", scaledTwice)
	t.Run("autoscaler alone", scaledByOthers)
}

// scaledToZero scales the new version of an autoscaled handler to 0 pods: its autoscaler then
// does not act. After kubectl scale no manager owns the 0, so it is put back.
func scaledToZero(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.canaryAtHalf("v1").Obj())
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	w.applyHandler(w.canaryAtHalf("v2").Obj())
	w.awaitPhase("users", "v1 50 v2 50", v1.RolloutProgressing)
	scale := func(verb string, args ...string) {
		if _, err := cluster.Run(t.Context(), "", append([]string{verb, "deployment/handler-users--v2", "-n", w.ns}, args...)...); err != nil {
			t.Fatal(err)
		}
	}
	scale("scale", "--replicas=0")
	w.eventually("pods that are put back", func() error {
		if n := *w.readDeployment("handler-users--v2").Spec.Replicas; n < 2 {
			return fmt.Errorf("%d pods are wanted", n)
		}
		return nil
	})
	scale("patch", "--type=merge", "-p", `{"spec":{"replicas":0}}`)
	w.awaitStory("users", "Stalled=True", "Deployment handler-users--v2 is scaled to 0 pods by kubectl-patch (spec.replicas)")
	w.changeHandler("users", func(h *v1.GatiHandler) { h.Spec.Rollout.ProgressDeadline = "3s" })
	w.awaitDecidedWeights("users", "v1 100 v2 0")
	if h := w.readHandler("users"); len(h.Status.Rollout.Rejected) > 0 {
		t.Errorf("rejected %+v:\n%s", h.Status.Rollout.Rejected, describeHandler(h))
	}
	w.changeHandler("users", func(h *v1.GatiHandler) { h.Spec.Rollout.ProgressDeadline = "10m" })
	w.executeRemedy("users", remedy.ScaleUp)
	w.awaitPhase("users", "v1 50 v2 50", v1.RolloutProgressing)
}

// executeRemedy types the command that the conditions of a handler name.
func (w *world) executeRemedy(name string, r remedy.Remedy) {
	w.t.Helper()
	said := ""
	w.eventually("the remedy "+string(r), func() error {
		if said = describeHandler(w.readHandler(name)); remedies.Find(r, said) == "" {
			return errors.New(said)
		}
		return nil
	})
	remedies.Execute(w.t, env.Shell, r, said)
}

// countedLate lets the pods of a handler count five minutes after they are ready.
func countedLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rolling := func(version string) *v1.GatiHandler {
		return w.makeCanary(version).Strategy(v1.StrategyRollingUpdate).Obj()
	}
	w.applyHandler(rolling("v1"))
	w.awaitStory("users", "Ready=True")
	if out, err := env.Shell(t.Context(), `kubectl patch deployment handler-users --type=merge -p '{"spec":{"minReadySeconds":300}}' -n `+w.ns); err != nil {
		t.Fatal(out)
	}
	w.applyHandler(rolling("v2"))
	w.awaitStory("users", "Stalled=True", "Deployment handler-users counts its pods late for kubectl-patch (spec.minReadySeconds)")
	w.executeRemedy("users", remedy.CountPodsAtOnce)
	w.eventually("the second version", func() error { return w.fullyRuns("handler-users", "v2", 4) })
	w.awaitStory("users", "Ready=True")
}

// heldByFinalizer deletes a Service that a foreign finalizer holds.
func heldByFinalizer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.makeCanary("v1").Obj())
	w.awaitStory("users", "Ready=True")
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: "handler-users"}}
	hold := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":["example.com/hold"]}}`))
	if err := admin.Patch(t.Context(), service, hold, client.FieldOwner("kubectl-patch")); err != nil {
		t.Fatal(err)
	}
	if err := admin.Delete(t.Context(), service); err != nil {
		t.Fatal(err)
	}
	w.awaitStory("users", "Stalled=True", "Service handler-users is being deleted and has the finalizer example.com/hold of kubectl-patch")
	w.executeRemedy("users", remedy.RemoveFinalizer)
	w.awaitStory("users", "Ready=True")
}

// makeRival creates an autoscaler of others for a Deployment.
func (w *world) makeRival(deployment string) client.Object {
	w.t.Helper()
	a := &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: "web"},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "Deployment", Name: deployment},
			MinReplicas:    ptr[int32](6), MaxReplicas: 9,
		},
	}
	if err := admin.Create(w.t.Context(), a); err != nil {
		w.t.Fatal(err)
	}
	return a
}

// endRival deletes the autoscaler of others, and waits until the handler says nothing of it.
func (w *world) endRival(rival client.Object) {
	w.t.Helper()
	if err := admin.Delete(w.t.Context(), rival); err != nil {
		w.t.Fatal(err)
	}
	w.awaitWithoutRival(rival)
}

func (w *world) awaitWithoutRival(rival client.Object) {
	w.t.Helper()
	w.eventually("Ready without "+rival.GetName(), func() error {
		if s := describeHandler(w.readHandler("users")); !strings.Contains(s, "Ready=True") || strings.Contains(s, "HorizontalPodAutoscaler web") {
			return errors.New(s)
		}
		return nil
	})
}

// scaledTwice has two autoscalers for the same pods: Kubernetes lets neither act.
func scaledTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.canaryAtHalf("v1").Obj())
	w.awaitStory("users", "Ready=True")
	rival := w.makeRival("handler-users--v1")
	w.awaitStory("users", "Stalled=True", "HorizontalPodAutoscaler handler-users--v1 shares its pods with HorizontalPodAutoscaler web")
	w.executeRemedy("users", remedy.DeleteAutoscaler)
	w.awaitWithoutRival(rival)
}

// scaledByOthers has an autoscaler of others for a handler without one: its number of pods
// and the planned one take turns.
func scaledByOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.makeCanary("v1").Obj())
	w.awaitStory("users", "Ready=True")
	rival := w.makeRival("handler-users--v1")
	w.awaitStory("users", "Stalled=True", "Deployment.apps handler-users--v1: HorizontalPodAutoscaler web keeps changing fields that gati-webhook manages")
	w.endRival(rival)
}
