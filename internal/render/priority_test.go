package render_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A Deployment without its PriorityClass has no pods. A class that preempts would end
// pods of tenants.
func TestPriorityClasses(t *testing.T) {
	for _, overlay := range []string{"default", "cert-manager"} {
		classes, used := map[string]string{}, 0
		for _, object := range objects(t, overlays[overlay]) {
			if object.GetKind() == "PriorityClass" {
				classes[object.GetName()], _, _ = unstructured.NestedString(object.Object, "preemptionPolicy")
			}
		}
		for _, object := range objects(t, overlays[overlay]) {
			if object.GetKind() != "Deployment" {
				continue
			}
			used++
			name, _, _ := unstructured.NestedString(object.Object, "spec", "template", "spec", "priorityClassName")
			if got := classes[name]; got != "Never" {
				t.Errorf("overlay %s: Deployment %s has the class %q, whose preemptionPolicy is %q, want Never", overlay, object.GetName(), name, got)
			}
		}
		if used == 0 {
			t.Errorf("overlay %s has no Deployment", overlay)
		}
	}
}
