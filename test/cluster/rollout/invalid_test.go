package rollout_test

import (
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// TestASpecThatTurnsInvalidCanGoBack takes from a canary at half of the traffic what its spec
// rests on, the image of the namespace or the target that was allowed: it says so, stays, and
// answers abort and rollback. Mended, it goes on.
func TestASpecThatTurnsInvalidCanGoBack(t *testing.T) {
	for name, breaks := range map[string]func(*world){
		"the namespace's image": func(w *world) { w.annotate(v1.AnnotationImage, nil) },
		"the target":            func(w *world) { w.annotate(v1.AnnotationTarget, "unknown") },
	} {
		for _, verb := range []string{"abort", "rollback"} {
			t.Run(name+", "+verb, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.setImage("app:v1")
				w.applyHandler(w.makeLongCanary("").Image("").Obj())
				w.awaitPhase("users", "v1 100", v1.RolloutStable)
				w.setImage("app:v2")
				w.awaitPhase("users", "v1 90 v2 10", v1.RolloutProgressing)
				w.requestAsAdmin("users", "promote")
				w.awaitPhase("users", "v1 50 v2 50", v1.RolloutProgressing)
				breaks(w)
				h := w.awaitStory("users", "Stalled=True", "Nothing was changed", "until the spec can be applied")
				if got := h.Status.Rollout.WaitingFor; got == nil || got.Reason != v1.WaitingForSpecChange {
					t.Errorf("waiting for %+v, want a change of the spec:\n%s", got, describeHandler(h))
				}
				w.requestAsAdmin("users", verb)
				w.awaitPhase("users", "v1 100 v2 0", v1.RolloutStable)
			})
		}
	}
}

// annotate sets an annotation of the namespace, or removes it.
func (w *world) annotate(key string, value any) {
	w.t.Helper()
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]any{key: value}}})
	if err == nil {
		err = admin.Patch(w.t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.ns}}, client.RawPatch(types.MergePatchType, patch))
	}
	if err != nil {
		w.t.Fatal(err)
	}
}
