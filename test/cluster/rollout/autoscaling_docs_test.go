package rollout_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
)

// TestDocumentedAutoscaling applies each example of docs/autoscaling.md: it is scaled as
// the page says.
func TestDocumentedAutoscaling(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.withKeda()
	text, err := os.ReadFile("../../../docs/autoscaling.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := strings.Split(string(text), "```yaml\n")[1:]
	if len(examples) < 6 {
		t.Fatalf("%d examples, want 6 or more", len(examples))
	}
	for _, part := range examples {
		example, _, _ := strings.Cut(part, "```")
		obj := &unstructured.Unstructured{}
		if err := yaml.UnmarshalStrict([]byte(example), &obj.Object); err != nil {
			t.Fatal(err)
		}
		obj.SetNamespace(w.ns)
		if err := admin.Create(t.Context(), obj); err != nil {
			t.Errorf("%s: %v", obj.GetName(), err)
			continue
		}
		w.eventually("autoscaler of "+obj.GetName(), func() error { return w.isScaled(obj.GetName(), strings.Contains(example, "keda:")) })
	}
}

// isScaled checks that a workload of a handler or module has its autoscaler, and a
// ScaledObject where KEDA is to scale.
func (w *world) isScaled(name string, byKeda bool) error {
	var scalers autoscalingv2.HorizontalPodAutoscalerList
	var objects kedav1alpha1.ScaledObjectList
	for _, list := range []client.ObjectList{&scalers, &objects} {
		if err := admin.List(w.t.Context(), list, client.InNamespace(w.ns)); err != nil {
			return err
		}
	}
	has := func(obj client.Object) bool {
		return strings.HasSuffix(obj.GetName(), "-"+name) || strings.Contains(obj.GetName(), "-"+name+"--")
	}
	found := false
	for i := range scalers.Items {
		found = found || has(&scalers.Items[i]) && kedav1alpha1.IsTaken(&scalers.Items[i]) == byKeda
	}
	asked := false
	for i := range objects.Items {
		asked = asked || has(&objects.Items[i])
	}
	if !found || asked != byKeda {
		return errors.New("not yet")
	}
	return nil
}
