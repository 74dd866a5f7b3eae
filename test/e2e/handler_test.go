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

func replicas(n int32) change { return func(s *v1.GatiHandlerSpec) { s.Replicas = &n } }

func image(version string) change {
	return func(s *v1.GatiHandlerSpec) { s.Image = sampleapp.Repository + ":" + version }
}

// env sets a switch of the sample.
func env(name, value string) change {
	return func(s *v1.GatiHandlerSpec) { s.Env = append(s.Env, corev1.EnvVar{Name: name, Value: value}) }
}

func noEnv(s *v1.GatiHandlerSpec) { s.Env = nil }

func modules(names ...v1.ObjectName) change { return func(s *v1.GatiHandlerSpec) { s.Modules = names } }

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
		image("v1.0.0")(s)
		for _, change := range changes {
			change(s)
		}
	}).Obj()
	g.apply()
	g.ready()
	g.answers()
	g.notePods()
	g.say("given a handler of %s with %d replicas", g.handler.Spec.Image, g.wanted())
}

// becomes applies the handler with changes.
func (w when) becomes(changes ...change) {
	w.t.Helper()
	for _, change := range changes {
		change(&w.handler.Spec)
	}
	w.apply()
	w.say("when it becomes %s", described(&w.handler.Spec))
}

// described has the fields that scenarios change.
func described(s *v1.GatiHandlerSpec) string {
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

func (w *world) wanted() int32 {
	if w.handler.Spec.Replicas == nil {
		return 1
	}
	return *w.handler.Spec.Replicas
}

// apply does what kubectl apply --server-side does with the handler.
func (w *world) apply() {
	w.t.Helper()
	if err := admin.Apply(w.t.Context(), applied(w.t, w.handler), client.FieldOwner("kubectl"), client.ForceOwnership); err != nil {
		w.t.Fatalf("apply the handler: %v", err)
	}
}

// applied is an object as a manifest would say it.
func applied(t testing.TB, obj client.Object) runtime.ApplyConfiguration {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		t.Fatal(err)
	}
	delete(content, "status")
	unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
	return client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{Object: content})
}

// stored is the handler as the API server has it.
func (w *world) stored() (*v1.GatiHandler, error) {
	h := &v1.GatiHandler{}
	return h, admin.Get(w.t.Context(), client.ObjectKeyFromObject(w.handler), h)
}

// ready waits until the handler is Ready for its present spec.
func (w *world) ready() {
	w.t.Helper()
	w.eventually("handler that is Ready", func() error {
		h, err := w.stored()
		if err != nil {
			return err
		}
		return holds(h.Status.Conditions, h.Generation)
	})
}

// holds checks that an object is Ready for its present spec.
func holds(conditions []metav1.Condition, generation int64) error {
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
	n.ready()
	n.podsRunAlone(version)
}

// itsStatusSays waits for a sentence of the handler's conditions.
func (n then) itsStatusSays(parts ...string) {
	n.t.Helper()
	var sentence string
	n.eventually(fmt.Sprintf("condition that says %q", parts), func() error {
		h, err := n.stored()
		if err != nil {
			return err
		}
		c := meta.FindStatusCondition(h.Status.Conditions, v1.ConditionReady)
		if c == nil || c.ObservedGeneration != h.Generation {
			return fmt.Errorf("condition Ready is not of generation %d", h.Generation)
		}
		sentence = c.Message
		return contains(sentence, parts...)
	})
	n.say("then its status says: %s", sentence)
}

// answers waits until both ways lead to the handler.
func (w *world) answers() {
	w.t.Helper()
	w.eventually("answer by gateway and Service", func() error {
		for _, to := range w.targets(w.resource + "7") {
			if _, err := ask(w.t.Context(), to.URL, to.Host, ""); err != nil {
				return err
			}
		}
		return nil
	})
}
