package trigger_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/trigger"
)

// TestChangesFacts holds that a change of a namespace brings its handlers back only where
// their plans rest on it.
func TestChangesFacts(t *testing.T) {
	deleted := metav1.NewTime(time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC))
	tests := map[string]struct {
		change func(*corev1.Namespace)
		passes bool
	}{
		"a label":              {func(n *corev1.Namespace) { n.Labels = map[string]string{"team": "a"} }, false},
		"another annotation":   {func(n *corev1.Namespace) { n.Annotations["example.com/note"] = "x" }, false},
		"its conditions":       {func(n *corev1.Namespace) { n.Status.Conditions = []corev1.NamespaceCondition{{Type: "x"}} }, false},
		"the image":            {func(n *corev1.Namespace) { n.Annotations[v1.AnnotationImage] = "app:v2" }, true},
		"the image is removed": {func(n *corev1.Namespace) { delete(n.Annotations, v1.AnnotationImage) }, true},
		"the target":           {func(n *corev1.Namespace) { n.Annotations[v1.AnnotationTarget] = v1.TargetGitOps }, true},
		"its deletion":         {func(n *corev1.Namespace) { n.DeletionTimestamp = &deleted }, true},
		"one made anew":        {func(n *corev1.Namespace) { n.UID = "another" }, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			before := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", UID: "u", Annotations: map[string]string{v1.AnnotationImage: "app:v1"}}}
			after := before.DeepCopy()
			tc.change(after)
			if got := trigger.ChangesFacts.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}); got != tc.passes {
				t.Errorf("it passes: %v, want %v", got, tc.passes)
			}
		})
	}
	if !trigger.ChangesFacts.Create(event.CreateEvent{}) || !trigger.ChangesFacts.Delete(event.DeleteEvent{}) {
		t.Error("a namespace that comes or goes does not pass")
	}
}
