package rollout_test

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// rolling is a handler of the strategy RollingUpdate with one variable.
func (w *world) rolling(version, level string) *builders.Handler {
	return w.canary(version).Strategy(v1.StrategyRollingUpdate).Spec(func(s *v1.GatiHandlerSpec) {
		s.Env = []corev1.EnvVar{{Name: "LEVEL", Value: level}}
	})
}

// runs waits until every pod of the workload main has a version with a level.
func (w *world) runs(version, level string) {
	w.t.Helper()
	w.within(version+" with LEVEL="+level, func() error {
		if err := w.fullyRuns("handler-users", version, 4); err != nil {
			return err
		}
		for _, e := range w.deployment("handler-users").Spec.Template.Spec.Containers[0].Env {
			if e.Name == "LEVEL" && e.Value != level {
				return errors.New("it has " + e.Value)
			}
		}
		if ro := w.read("users").Status.Rollout; ro == nil || ro.Phase != v1.RolloutStable {
			return errors.New("it is still rolling")
		}
		return nil
	}, func() string { return story(w.read("users")) })
}

// TestAnotherTemplateLeavesTheFrontAlone holds that the Service in front is not
// written while pods are replaced, by those of the same version or of another.
func TestAnotherTemplateLeavesTheFrontAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(w.rolling("v1", "info").Obj())
	w.runs("v1", "info")
	film := record[*corev1.Service](w, &corev1.ServiceList{}, "handler-users")
	w.apply(w.rolling("v1", "debug").Obj())
	w.runs("v1", "debug")
	w.apply(w.rolling("v2", "debug").Obj())
	w.runs("v2", "debug")

	front := &corev1.Service{}
	if err := admin.Get(t.Context(), client.ObjectKey{Namespace: w.ns, Name: "handler-users"}, front); err != nil {
		t.Fatal(err)
	}
	if states := distinct(film.until(front), func(s *corev1.Service) string { return s.ResourceVersion }); len(states) != 1 {
		t.Errorf("the front was written %d times", len(states)-1)
	}
}

// TestARollbackBringsItsConfigurationBack holds that what a version was configured
// with is a part of it, under whatever strategy.
func TestARollbackBringsItsConfigurationBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(w.rolling("v1", "info").Obj())
	w.runs("v1", "info")
	config := w.deployment("handler-users").Spec.Template.Annotations[v1.AnnotationRevision]
	w.apply(w.rolling("v2", "debug").Obj())
	w.runs("v2", "debug")
	w.ask("users", "rollback")
	w.runs("v1", "info")
	if now := w.deployment("handler-users").Spec.Template.Annotations[v1.AnnotationRevision]; now != config {
		t.Errorf("it runs the revision %q, and had %q", now, config)
	}
	if h := w.read("users"); h.Spec.Env[0].Value != "debug" {
		t.Errorf("the spec was changed to LEVEL=%s", h.Spec.Env[0].Value)
	}
}
