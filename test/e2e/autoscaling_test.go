package e2e

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

func TestTheAutoscalerFollowsTheLoad(t *testing.T) {
	given, when, then := scenario(t)

	given.aHandler(setReplicas(1), autoscaleBetween(1, 3))
	given.steadyTraffic(5)
	more := given.moreTraffic("/users/%d?cpu=20ms", 15)
	then.itGrowsTo(2)
	when.theseEnd(more)
	then.itComesTo(1)
	then.noRequestHasFailed(200)
}

func TestTakingAnAutoscalerOnAndOffDropsNothing(t *testing.T) {
	given, when, then := scenario(t)

	given.aHandler(setReplicas(3))
	given.requestsThatBurn(20*time.Millisecond, 15)
	least := given.theLeastReplicas()
	when.applyChanges(autoscaleBetween(3, 5))
	then.itGrowsTo(5)
	when.applyChanges(disableAutoscaling)
	then.theAutoscalerIsGone()
	then.itComesTo(3)
	then.awaitReady()
	then.neverFewerThan(3, least)
	then.noRequestHasFailed(500)
}

// autoscaleBetween follows CPU between two bounds, and forgets at once. What memory
// Node.js takes is no matter of load.
func autoscaleBetween(least, most int32) change {
	return func(s *v1.GatiHandlerSpec) {
		yes, cpu, memory, at := true, int32(50), int32(1000), int32(0)
		policies := []autoscalingv2.HPAScalingPolicy{{Type: autoscalingv2.PodsScalingPolicy, Value: 4, PeriodSeconds: 5}}
		rules := &autoscalingv2.HPAScalingRules{StabilizationWindowSeconds: &at, Policies: policies}
		s.Autoscaling = &v1.Autoscaling{
			Enabled: &yes, MinReplicas: &least, MaxReplicas: &most, TargetCPU: &cpu, TargetMemory: &memory,
			Behavior: &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: rules.DeepCopy(), ScaleDown: rules},
		}
	}
}

func disableAutoscaling(s *v1.GatiHandlerSpec) { s.Autoscaling = nil }

// requestsThatBurn sends requests that each take processor time.
func (g given) requestsThatBurn(cpu time.Duration, rate int) {
	g.t.Helper()
	g.trafficTo(fmt.Sprintf("/users/%%d?cpu=%dms", cpu.Milliseconds()), rate, 10*time.Second)
}

// itGrowsTo waits until so many pods are ready, or more.
func (n then) itGrowsTo(pods int32) {
	n.t.Helper()
	n.awaitScale(fmt.Sprintf("%d ready pods or more", pods), func(d *appsv1.Deployment) bool { return d.Status.ReadyReplicas >= pods })
}

// itComesTo waits until there are so many pods, all of them ready.
func (n then) itComesTo(pods int32) {
	n.t.Helper()
	n.awaitScale(fmt.Sprintf("%d pods, all ready", pods), func(d *appsv1.Deployment) bool {
		return *d.Spec.Replicas == pods && d.Status.Replicas == pods && d.Status.ReadyReplicas == pods
	})
}

func (n then) awaitScale(what string, reached func(*appsv1.Deployment) bool) {
	n.t.Helper()
	last := int32(-1)
	n.eventually("Deployment with "+what, func() error {
		d, err := n.readDeployment(n.t.Context())
		if err != nil {
			return err
		}
		if now := *d.Spec.Replicas; now != last {
			last = now
			n.logStep("     %d pods are wanted; the autoscaler: %s", now, n.describeAutoscaler())
		}
		if !reached(d) {
			return fmt.Errorf("%d pods, %d of them ready; the autoscaler: %s", d.Status.Replicas, d.Status.ReadyReplicas, n.describeAutoscaler())
		}
		return nil
	})
	n.logStep("then it has %s", what)
}

func (w *world) readDeployment(ctx context.Context) (*appsv1.Deployment, error) {
	d := &appsv1.Deployment{}
	return d, admin.Get(ctx, client.ObjectKey{Namespace: w.ns, Name: "handler-users"}, d)
}

// describeAutoscaler returns the status of the autoscaler.
func (w *world) describeAutoscaler() string {
	var h autoscalingv2.HorizontalPodAutoscaler
	if err := admin.Get(w.t.Context(), client.ObjectKey{Namespace: w.ns, Name: "handler-users"}, &h); err != nil {
		return err.Error()
	}
	text := fmt.Sprintf("%d to %d pods", *h.Spec.MinReplicas, h.Spec.MaxReplicas)
	for _, c := range h.Status.Conditions {
		text += fmt.Sprintf("; %s %s: %s", c.Type, c.Status, c.Message)
	}
	return text
}

func (n then) theAutoscalerIsGone() {
	n.t.Helper()
	n.eventually("no autoscaler", func() error {
		var h autoscalingv2.HorizontalPodAutoscaler
		err := admin.Get(n.t.Context(), client.ObjectKey{Namespace: n.ns, Name: "handler-users"}, &h)
		if err == nil {
			return fmt.Errorf("it is there: %s", n.describeAutoscaler())
		}
		return client.IgnoreNotFound(err)
	})
	n.logStep("then the autoscaler is gone")
}

// theLeastReplicas watches the Deployment from now on. The result has the least
// of what it wanted and of what was ready, at any moment.
func (g given) theLeastReplicas() *atomic.Int32 {
	g.t.Helper()
	return g.watchLeast("handler-users")
}

func (g given) watchLeast(name string) *atomic.Int32 {
	g.t.Helper()
	var list appsv1.DeploymentList
	watch, err := admin.Watch(g.t.Context(), &list, client.InNamespace(g.ns))
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(watch.Stop)
	least := &atomic.Int32{}
	least.Store(1 << 30)
	go func() {
		for event := range watch.ResultChan() {
			if d, ok := event.Object.(*appsv1.Deployment); ok && d.Name == name {
				least.Store(min(least.Load(), *d.Spec.Replicas, d.Status.ReadyReplicas))
			}
		}
	}()
	return least
}

func (n then) neverFewerThan(pods int32, least *atomic.Int32) {
	n.t.Helper()
	if got := least.Load(); got < pods || got == 1<<30 {
		n.t.Errorf("at one time there were %d replicas, want never fewer than %d", got, pods)
	}
	n.logStep("then there were never fewer than %d replicas", least.Load())
}
