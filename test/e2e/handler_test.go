package e2e

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/sampleapp"
	"gati.dev/gati/internal/testing/builders"
)

// change is something that a handler has beyond what all have.
type change func(*v1.GatiHandlerSpec)

func setReplicas(n int32) change { return func(s *v1.GatiHandlerSpec) { s.Replicas = &n } }

func setImage(version string) change {
	return func(s *v1.GatiHandlerSpec) { s.Image = sampleapp.Repository + ":" + version }
}

// addEnv sets a switch of the sample.
func addEnv(name, value string) change {
	return func(s *v1.GatiHandlerSpec) { s.Env = append(s.Env, corev1.EnvVar{Name: name, Value: value}) }
}

func noEnv(s *v1.GatiHandlerSpec) { s.Env = nil }

func setModules(names ...v1.ObjectName) change {
	return func(s *v1.GatiHandlerSpec) { s.Modules = names }
}

// aHandler is the sample behind the gateway, called users, in version v1.0.0
// unless the changes say otherwise. It serves when the sentence ends.
func (g given) aHandler(changes ...change) {
	g.t.Helper()
	g.gatiIsInstalled()
	g.aNamespace()
	b := builders.MakeHandler("users").Namespace(g.ns).Path("/users/:id").Methods("GET", "POST").
		Hostname(g.hostname()).PathMatch(v1.PathMatchRegex)
	g.handler = b.Spec(func(s *v1.GatiHandlerSpec) {
		at := gatewayKey()
		ns := gatewayv1.Namespace(at.Namespace)
		s.Route.ParentRefs = []gatewayv1.ParentReference{{Name: gatewayv1.ObjectName(at.Name), Namespace: &ns}}
		s.HealthCheck = &v1.HealthCheck{Interval: "5s"}
		s.Pod = &v1.PodSettings{ImagePullPolicy: corev1.PullIfNotPresent}
		setImage("v1.0.0")(s)
		for _, change := range changes {
			change(s)
		}
	}).Obj()
	g.applyHandler()
	g.awaitReady()
	g.awaitAnswers()
	g.notePods()
	g.logStep("given a handler of %s with %d replicas", g.handler.Spec.Image, g.wantedReplicas())
}

// applyChanges applies the handler with changes.
func (w when) applyChanges(changes ...change) {
	w.t.Helper()
	for _, change := range changes {
		change(&w.handler.Spec)
	}
	w.applyHandler()
	w.logStep("when it becomes %s", describeSpec(&w.handler.Spec))
}

// describeSpec has the fields that scenarios change.
func describeSpec(s *v1.GatiHandlerSpec) string {
	text := s.Image
	for _, e := range s.Env {
		text += fmt.Sprintf(" %s=%s", e.Name, e.Value)
	}
	if a := s.Autoscaling; a != nil && a.MinReplicas != nil {
		text += fmt.Sprintf(" with %d to %d pods", *a.MinReplicas, *a.MaxReplicas)
	}
	if a := s.Autoscaling; a != nil && a.WarmPool != nil {
		text += fmt.Sprintf(" as %s with %d spare pods", s.Version, *a.WarmPool)
	}
	return text
}

func (w *world) wantedReplicas() int32 {
	if w.handler.Spec.Replicas == nil {
		return 1
	}
	return *w.handler.Spec.Replicas
}

// applyHandler does what kubectl apply --server-side does with the handler.
func (w *world) applyHandler() {
	w.t.Helper()
	if err := admin.Apply(w.t.Context(), toApplyConfiguration(w.t, w.handler), client.FieldOwner("kubectl"), client.ForceOwnership); err != nil {
		w.t.Fatalf("apply the handler: %v", err)
	}
}

// toApplyConfiguration is an object as a manifest would say it.
func toApplyConfiguration(t testing.TB, obj client.Object) runtime.ApplyConfiguration {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		t.Fatal(err)
	}
	delete(content, "status")
	unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
	return client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{Object: content})
}

// readHandler returns the handler as the API server has it.
func (w *world) readHandler() (*v1.GatiHandler, error) {
	h := &v1.GatiHandler{}
	return h, admin.Get(w.t.Context(), client.ObjectKeyFromObject(w.handler), h)
}

// awaitReady waits until the handler is Ready for its present spec.
func (w *world) awaitReady() {
	w.t.Helper()
	w.eventually("handler that is Ready", func() error {
		h, err := w.readHandler()
		if err != nil {
			return err
		}
		return checkReadyCondition(h.Status.Conditions, h.Generation)
	})
}

// checkReadyCondition checks that an object is Ready for its present spec.
func checkReadyCondition(conditions []metav1.Condition, generation int64) error {
	c := meta.FindStatusCondition(conditions, v1.ConditionReady)
	switch {
	case c == nil:
		return fmt.Errorf("there is no condition %s yet", v1.ConditionReady)
	case c.ObservedGeneration != generation:
		return fmt.Errorf("condition %s is of generation %d, the spec is of %d", c.Type, c.ObservedGeneration, generation)
	case c.Status != metav1.ConditionTrue:
		return fmt.Errorf("condition %s is %s: %s: %s", c.Type, c.Status, c.Reason, c.Message)
	}
	return nil
}

// allPodsRun waits until the handler is Ready and has pods of that version alone.
// Those that are on their way out count.
func (n then) allPodsRun(version string) {
	n.t.Helper()
	n.awaitReady()
	n.podsRunAlone(version)
}

// itsStatusSays waits for a sentence of the handler's conditions.
func (n then) itsStatusSays(parts ...string) {
	n.t.Helper()
	var sentence string
	n.eventually(fmt.Sprintf("condition that says %q", parts), func() error {
		h, err := n.readHandler()
		if err != nil {
			return err
		}
		c := meta.FindStatusCondition(h.Status.Conditions, v1.ConditionReady)
		if c == nil || c.ObservedGeneration != h.Generation {
			return fmt.Errorf("condition Ready is not of generation %d", h.Generation)
		}
		sentence = c.Message
		return checkContains(sentence, parts...)
	})
	n.logStep("then its status says: %s", sentence)
}

// awaitAnswers waits until both ways lead to the handler.
func (w *world) awaitAnswers() {
	w.t.Helper()
	w.eventually("answer by gateway and Service", func() error {
		for _, to := range w.loadTargets(w.resource + "7") {
			if _, err := askForReply(w.t.Context(), to.URL, to.Host, ""); err != nil {
				return err
			}
		}
		return nil
	})
}
