package rollout_test

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// makeRollingHandler returns a handler of the strategy RollingUpdate with one variable.
func (w *world) makeRollingHandler(version, level string) *builders.Handler {
	return w.makeCanary(version).Strategy(v1.StrategyRollingUpdate).Spec(func(s *v1.GatiHandlerSpec) {
		s.Env = []corev1.EnvVar{{Name: "LEVEL", Value: level}}
	})
}

// awaitLevel waits until every pod of the workload main has a version with a level.
func (w *world) awaitLevel(version, level string) {
	w.t.Helper()
	w.eventually(version+" with LEVEL="+level, func() error {
		if err := w.fullyRuns("handler-users", version, 4); err != nil {
			return err
		}
		for _, e := range w.readDeployment("handler-users").Spec.Template.Spec.Containers[0].Env {
			if e.Name == "LEVEL" && e.Value != level {
				return errors.New("it has " + e.Value)
			}
		}
		if ro := w.readHandler("users").Status.Rollout; ro == nil || ro.Phase != v1.RolloutStable {
			return errors.New("it is still rolling")
		}
		return nil
	}, func() string { return describeHandler(w.readHandler("users")) })
}

// TestAnotherTemplateLeavesTheFrontAlone holds that the Service in front is not
// written while pods are replaced, by those of the same version or of another.
func TestAnotherTemplateLeavesTheFrontAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.makeRollingHandler("v1", "info").Obj())
	w.awaitLevel("v1", "info")
	film := recordObject[*corev1.Service](w, &corev1.ServiceList{}, "handler-users")
	w.applyHandler(w.makeRollingHandler("v1", "debug").Obj())
	w.awaitLevel("v1", "debug")
	w.applyHandler(w.makeRollingHandler("v2", "debug").Obj())
	w.awaitLevel("v2", "debug")

	front := &corev1.Service{}
	if err := admin.Get(t.Context(), client.ObjectKey{Namespace: w.ns, Name: "handler-users"}, front); err != nil {
		t.Fatal(err)
	}
	if states := distinctStates(film.awaitStatesUntil(front), func(s *corev1.Service) string { return s.ResourceVersion }); len(states) != 1 {
		t.Errorf("the front was written %d times", len(states)-1)
	}
}

// TestARollbackBringsItsConfigurationBack holds that what a version was configured
// with is a part of it, under whatever strategy.
func TestARollbackBringsItsConfigurationBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.makeRollingHandler("v1", "info").Obj())
	w.awaitLevel("v1", "info")
	config := w.readDeployment("handler-users").Spec.Template.Annotations[v1.AnnotationRevision]
	w.applyHandler(w.makeRollingHandler("v2", "debug").Obj())
	w.awaitLevel("v2", "debug")
	w.requestAsAdmin("users", "rollback")
	w.awaitLevel("v1", "info")
	if now := w.readDeployment("handler-users").Spec.Template.Annotations[v1.AnnotationRevision]; now != config {
		t.Errorf("it runs the revision %q, and had %q", now, config)
	}
	if h := w.readHandler("users"); h.Spec.Env[0].Value != "debug" {
		t.Errorf("the spec was changed to LEVEL=%s", h.Spec.Env[0].Value)
	}
}
