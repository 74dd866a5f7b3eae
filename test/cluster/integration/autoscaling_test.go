package integration

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
)

// watchMinReplicas watches the Deployments of a namespace and returns the smallest number
// of replicas that was ever asked for.
func watchMinReplicas(t *testing.T, ns string) *atomic.Int32 {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	events, err := admin.Watch(ctx, &appsv1.DeploymentList{}, client.InNamespace(ns))
	if err != nil {
		t.Fatal(err)
	}
	least := &atomic.Int32{}
	least.Store(1 << 30)
	go func() {
		for event := range events.ResultChan() {
			if d, ok := event.Object.(*appsv1.Deployment); ok {
				least.Store(min(least.Load(), *d.Spec.Replicas))
			}
		}
	}()
	t.Cleanup(events.Stop)
	return least
}

// awaitReplicas waits until a Deployment asks for a number of replicas.
func awaitReplicas(t *testing.T, ns, name string, replicas int32) {
	t.Helper()
	await.Eventually(t, fmt.Sprintf("%d replicas asked for by %s", replicas, name), func() error {
		if got := *readObject[appsv1.Deployment](t, ns, name).Spec.Replicas; got != replicas {
			return fmt.Errorf("%d", got)
		}
		return nil
	})
}

// "When an autoscaler takes over, it is created first with min ≥ the current
// number, and the field is given up only when another manager owns it; back the
// same way". No metrics are served here, so the autoscaler moves
// only to keep its bounds, and every fall of the number would be our doing.
func TestAutoscalingNeverTakesPodsAway(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	createObject(t, builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Replicas(5).Obj())
	readyHandler(t, ns, "a")
	least := watchMinReplicas(t, ns)

	// When it is enabled with a lower bound than what runs.
	changeObject(t, ns, "a", func(h *v1.GatiHandler) { h.Spec.Autoscaling = makeAutoscaling(1, 10) })
	await.Eventually(t, "autoscaler that has taken over and goes down to 1", func() error {
		hpa, err := findObject[autoscalingv2.HorizontalPodAutoscaler](t, ns, "handler-a")
		if err != nil {
			return err
		}
		if len(hpa.Status.Conditions) == 0 || *hpa.Spec.MinReplicas != 1 || hpa.Spec.MaxReplicas != 10 {
			return fmt.Errorf("%d conditions, from %d to %d", len(hpa.Status.Conditions), *hpa.Spec.MinReplicas, hpa.Spec.MaxReplicas)
		}
		return nil
	})
	readyHandler(t, ns, "a")
	if got := least.Load(); got < 5 {
		t.Fatalf("there were only %d replicas asked for at some time, want 5 throughout", got)
	}

	// When the autoscaler raises the number, it is the autoscaler's.
	changeObject(t, ns, "a", func(h *v1.GatiHandler) { h.Spec.Autoscaling = makeAutoscaling(7, 10) })
	awaitReplicas(t, ns, "handler-a", 7)
	readyHandler(t, ns, "a")
	changeObject(t, ns, "a", func(h *v1.GatiHandler) { h.Spec.Image = "app:v2.0.0" })
	readyHandler(t, ns, "a")
	awaitReplicas(t, ns, "handler-a", 7)
	if got := least.Load(); got < 5 {
		t.Fatalf("there were only %d replicas asked for at some time, want 5 and then 7", got)
	}

	// When it is disabled, spec.replicas holds again.
	changeObject(t, ns, "a", func(h *v1.GatiHandler) { h.Spec.Autoscaling = nil })
	awaitReplicas(t, ns, "handler-a", 5)
	readyHandler(t, ns, "a")
	await.Eventually(t, "end of the autoscaler", func() error { return checkGone[autoscalingv2.HorizontalPodAutoscaler](t, ns, "handler-a") })
	if got := least.Load(); got < 5 {
		t.Errorf("there were only %d replicas asked for on the way back, want at least 5", got)
	}
}

func makeAutoscaling(least, most int32) *v1.Autoscaling {
	yes := true
	return &v1.Autoscaling{Enabled: &yes, MinReplicas: &least, MaxReplicas: &most}
}

// checkGone checks that there is no such object.
func checkGone[T any](t *testing.T, ns, name string) error {
	t.Helper()
	_, err := findObject[T](t, ns, name)
	if err == nil {
		return fmt.Errorf("%T %s is there", *new(T), name)
	}
	return client.IgnoreNotFound(err)
}

// "PodDisruptionBudget (maxUnavailable 1, from two replicas up,
// unhealthyPodEvictionPolicy AlwaysAllow)."
func TestDisruptionBudgetComesWithTheSecondReplica(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	createObject(t, builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Obj())
	readyHandler(t, ns, "a")
	awaitSettled(t, ns)
	if err := checkGone[policyv1.PodDisruptionBudget](t, ns, "handler-a"); err != nil {
		t.Fatal("with one replica: ", err)
	}

	two, one := int32(2), int32(1)
	changeObject(t, ns, "a", func(h *v1.GatiHandler) { h.Spec.Replicas = &two })
	await.Eventually(t, "budget with two replicas", func() error {
		_, err := findObject[policyv1.PodDisruptionBudget](t, ns, "handler-a")
		return err
	})
	b := readObject[policyv1.PodDisruptionBudget](t, ns, "handler-a")
	if b.Spec.MaxUnavailable.IntValue() != 1 || *b.Spec.UnhealthyPodEvictionPolicy != policyv1.AlwaysAllow {
		t.Errorf("maxUnavailable %v and policy %s, want 1 and AlwaysAllow", b.Spec.MaxUnavailable, *b.Spec.UnhealthyPodEvictionPolicy)
	}
	await.Eventually(t, "budget that counts both pods", func() error {
		if got := readObject[policyv1.PodDisruptionBudget](t, ns, "handler-a").Status; got.ExpectedPods != 2 || got.DisruptionsAllowed != 1 {
			return fmt.Errorf("%d pods, %d disruptions allowed", got.ExpectedPods, got.DisruptionsAllowed)
		}
		return nil
	})

	changeObject(t, ns, "a", func(h *v1.GatiHandler) { h.Spec.Replicas = &one })
	await.Eventually(t, "no budget with one replica", func() error { return checkGone[policyv1.PodDisruptionBudget](t, ns, "handler-a") })
}
