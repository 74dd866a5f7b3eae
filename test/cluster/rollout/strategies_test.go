package rollout_test

import (
	"errors"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// TestManualFollowsTheRecords gives three versions 70, 20 and 10.
func TestManualFollowsTheRecords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	manual := func(version string) *v1.GatiHandler { return w.makeCanary(version).Strategy(v1.StrategyManual).Obj() }
	w.applyHandler(manual("v1"))
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	w.applyHandler(manual("v2"))
	w.awaitPhase("users", "v1 100 v2 0", v1.RolloutStable)
	w.applyHandler(manual("v3"))
	w.awaitPhase("users", "v1 100 v2 0 v3 0", v1.RolloutStable)
	for version, share := range map[string]int32{"v1": 70, "v2": 20, "v3": 10} {
		w.setTrafficShare("users-"+version, share)
	}
	w.awaitPhase("users", "v1 70 v2 20 v3 10", v1.RolloutStable)
}

// setTrafficShare gives a version its share, once its record is there.
func (w *world) setTrafficShare(name string, share int32) {
	w.t.Helper()
	record := &v1.GatiVersion{}
	w.eventually("the record "+name, func() error {
		if err := admin.Get(w.t.Context(), client.ObjectKey{Namespace: w.ns, Name: name}, record); err != nil {
			return err
		}
		return nil
	})
	before := record.DeepCopy()
	record.Spec.Traffic = &share
	w.reachesWebhook(func() error { return admin.Patch(w.t.Context(), record, client.MergeFrom(before)) })
}

// TestRollingUpdateToCanaryAndBack holds that main stays the workload of what it
// runs until that is drained, and is brought up again before anything moves.
func TestRollingUpdateToCanaryAndBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rolling := func(version string) *v1.GatiHandler {
		return w.makeCanary(version).Strategy(v1.StrategyRollingUpdate).Obj()
	}
	w.applyHandler(rolling("v1"))
	w.eventually("the first version", func() error { return w.fullyRuns("handler-users", "v1", 4) })
	uid := w.readDeployment("handler-users").UID

	w.applyHandler(w.makeCanary("v1").Obj())
	w.applyHandler(w.makeCanary("v2").Spec(func(s *v1.GatiHandlerSpec) { s.Rollout.Steps = []v1.RolloutStep{{Weight: 50}, {Weight: 100}} }).Obj())
	w.awaitPhase("users", "v1 50 v2 50", v1.RolloutProgressing)
	if w.readDeployment("handler-users").UID != uid {
		t.Error("the Deployment of v1 was made anew")
	}
	w.requestAsAdmin("users", "promote")
	w.awaitPhase("users", "v2 100", v1.RolloutStable)
	w.eventually("the end of main", func() error {
		err := admin.Get(t.Context(), client.ObjectKey{Namespace: w.ns, Name: "handler-users"}, &appsv1.Deployment{})
		if client.IgnoreNotFound(err) != nil || err == nil {
			return errors.New("it is still there")
		}
		return nil
	})

	w.applyHandler(rolling("v2"))
	w.eventually("v2 in main", func() error {
		if err := w.fullyRuns("handler-users", "v2", 4); err != nil {
			return err
		}
		front := &corev1.Service{}
		if err := admin.Get(t.Context(), client.ObjectKey{Namespace: w.ns, Name: "handler-users"}, front); err != nil {
			return err
		}
		if to := front.Spec.Selector[v1.LabelWorkload]; to != v1.WorkloadMain {
			return errors.New("the front leads to " + to)
		}
		return nil
	}, func() string { return describeHandler(w.readHandler("users")) })
}

// TestCanaryWithoutAGateway splits by the numbers of pods.
func TestCanaryWithoutAGateway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plain := func(version string) *v1.GatiHandler {
		return builders.MakeHandler("users").Image("app:"+version).Replicas(4).Strategy(v1.StrategyCanary).Step(25, "").Step(50, "2s").
			Spec(func(s *v1.GatiHandlerSpec) {
				s.Versions = &v1.VersionPolicy{MinAge: "1s", Drain: &v1.Drain{Deadline: "2s"}}
				s.Rollout.RollbackWindow = "1s"
			}).Obj()
	}
	w.applyHandler(plain("v1"))
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	film := w.recordHandler("users")
	w.applyHandler(plain("v2"))
	w.awaitDecidedWeights("users", "v1 75 v2 25")
	// The Service is written after the status that decided on it.
	w.eventually("a front for the pods of both versions", func() error {
		front := &corev1.Service{}
		if err := admin.Get(t.Context(), client.ObjectKey{Namespace: w.ns, Name: "handler-users"}, front); err != nil {
			return err
		}
		if _, one := front.Spec.Selector[v1.LabelWorkload]; one {
			return fmt.Errorf("it selects %v", front.Spec.Selector)
		}
		return nil
	})
	w.awaitPhase("users", "v1 75 v2 25", v1.RolloutProgressing)
	w.requestAsAdmin("users", "promote")
	h := w.awaitPhase("users", "v2 100", v1.RolloutStable)
	// What is accepted is what the pods come to, and those of v1 go when they can.
	assertPassed(t, film.awaitStatesUntil(h), decidedWeights, "v1 75 v2 25", "v1 50 v2 50", "v2 100")
}

func (w *world) readDeployment(name string) *appsv1.Deployment {
	w.t.Helper()
	d := &appsv1.Deployment{}
	if err := admin.Get(w.t.Context(), client.ObjectKey{Namespace: w.ns, Name: name}, d); err != nil {
		w.t.Fatal(err)
	}
	return d
}

// fullyRuns says what a Deployment lacks to run a version with so many ready pods.
func (w *world) fullyRuns(name, version string, pods int32) error {
	d := &appsv1.Deployment{}
	if err := admin.Get(w.t.Context(), client.ObjectKey{Namespace: w.ns, Name: name}, d); err != nil {
		return err
	}
	switch {
	case d.Labels[v1.LabelVersion] != version:
		return errors.New(name + " runs " + d.Labels[v1.LabelVersion])
	case d.Status.ReadyReplicas != pods || d.Status.UpdatedReplicas != pods || d.Status.Replicas != pods:
		return errors.New("its pods are not all ready")
	}
	return nil
}
