package target

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/target"
)

// What the server has refused is not sent again for a minute, unless something
// else is wanted.
func TestRefusedObjectIsNotSentAgainForAMinute(t *testing.T) {
	w := newWorld(t, fullHandler().Obj())
	bad := findPlanned[*appsv1.Deployment](w)
	bad.Spec.Template.Spec.Containers[0].Image = ""
	sent := func(what string, d *appsv1.Deployment, want bool) {
		t.Helper()
		w.wire.takeCounts()
		out, err := w.target.Apply(w.context, w.owner, target.Plan{Objects: []client.Object{d}})
		w.must(err)
		if (out.Children[0].Problem == nil) != (d != bad) {
			t.Errorf("%s: problem %v", what, out.Children[0].Problem)
		}
		if got := len(w.wire.takeCounts()) > 0; got != want {
			t.Errorf("%s: sent: %v, want %v", what, got, want)
		}
	}
	sent("at first", bad, true)
	sent("at once again", bad, false)
	w.clock.SetTime(w.clock.Now().Add(59 * time.Second))
	sent("within the minute", bad, false)
	w.clock.SetTime(w.clock.Now().Add(time.Second))
	sent("a minute later", bad, true)
	sent("another plan", findPlanned[*appsv1.Deployment](w), true)
}
