package rollout_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/test/support/statusrecorder"
)

const (
	// fleetSize is how many handlers have the image of their namespace, fleetTurns how many
	// of them may be rolled out at once.
	fleetSize  = 6
	fleetTurns = 2
)

// TestTheNamespacesImageIsRolledOutInTurns changes the image of a namespace: no more handlers
// than allowed are rolled out at once, all in the end, although gati-webhook is killed
// on the way, and one that its user changes does not wait. It has gati-webhook to itself.
func TestTheNamespacesImageIsRolledOutInTurns(t *testing.T) {
	mortal := mortalWebhook(t, fmt.Sprintf("--max-rollouts-per-namespace=%d", fleetTurns))
	w := newWorld(t)
	w.setImage("app:v1")
	names := make([]string, fleetSize)
	for i := range names {
		names[i] = fmt.Sprintf("users-%d", i)
		h := w.makeCanary("v1").Image("").Replicas(1).Path("/" + names[i]).Obj()
		h.Name = names[i]
		w.applyHandler(h)
	}
	for _, name := range names {
		w.awaitPhase(name, "v1 100", v1.RolloutStable)
	}
	film := statusrecorder.Of[*v1.GatiHandler](t, admin, &v1.GatiHandlerList{}, client.InNamespace(w.ns))
	w.setImage("app:v2")
	w.eventually("handlers that wait for their turn", func() error {
		if n := w.countWaiting(names); n < fleetSize-2*fleetTurns {
			return fmt.Errorf("%d wait", n)
		}
		return nil
	})
	if err := mortal.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := mortal.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		w.awaitPhase(name, "v2 100", v1.RolloutStable)
	}
	most, waited := measureCrowding(film.Frames())
	t.Logf("%d rollouts under way at the most; %d of %d handlers waited", most, len(waited), fleetSize)
	if most > fleetTurns {
		t.Errorf("%d rollouts were under way at once, want at most %d", most, fleetTurns)
	}
	if len(waited) < fleetSize-fleetTurns {
		t.Errorf("%d handlers waited, want at least %d", len(waited), fleetSize-fleetTurns)
	}
	want := fmt.Sprintf("v2 waits for one of %d rollouts in namespace %s; ", fleetTurns, w.ns)
	for name, message := range waited {
		if !strings.HasPrefix(message, want) {
			t.Errorf("%s says %q, want %q", name, message, want)
		}
	}

	w.setImage("app:v3")
	var waits string
	w.eventually("a handler in line", func() error {
		for _, name := range names {
			if w.isInLine(name) {
				waits = name
				return nil
			}
		}
		return errors.New("none waits")
	})
	w.changeHandler(waits, func(h *v1.GatiHandler) { h.Spec.Image = "app:v4" })
	w.eventually(waits+" under way at once", func() error {
		if ro := w.readHandler(waits).Status.Rollout; ro.Target == nil || ro.Target.Version != "v4" {
			return errors.New(describeHandler(w.readHandler(waits)))
		}
		return nil
	})
}

// setImage sets the image of the namespace.
func (w *world) setImage(image string) {
	w.t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.ns}}
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, v1.AnnotationImage, image)
	if err := admin.Patch(w.t.Context(), ns, client.RawPatch("application/merge-patch+json", []byte(patch))); err != nil {
		w.t.Fatal(err)
	}
	w.eventually("gati-webhook that knows of an image", func() error {
		return admin.Create(w.t.Context(), builders.MakeHandler("probe").Namespace(w.ns).Path("/probe").Image("").Obj(), client.DryRunAll)
	})
}

func (w *world) countWaiting(names []string) int {
	w.t.Helper()
	n := 0
	for _, name := range names {
		if w.isInLine(name) {
			n++
		}
	}
	return n
}

// isInLine reports whether a handler waits for its turn.
func (w *world) isInLine(name string) bool {
	w.t.Helper()
	ro := w.readHandler(name).Status.Rollout
	return ro.WaitingFor != nil && ro.WaitingFor.Reason == v1.WaitingForTurn
}

// measureCrowding returns how many rollouts were under way at the most, as the writes of the
// handlers came one after the other, and what those said who waited.
func measureCrowding(frames []statusrecorder.Frame[*v1.GatiHandler]) (most int, waited map[string]string) {
	running := map[string]bool{}
	waited = map[string]string{}
	for _, f := range frames {
		ro := f.Object.Status.Rollout
		delete(running, f.Object.Name)
		if rollout.HoldsPlace(ro) {
			running[f.Object.Name] = true
		}
		if ro != nil && ro.WaitingFor != nil && ro.WaitingFor.Reason == v1.WaitingForTurn {
			waited[f.Object.Name] = ro.WaitingFor.Message
		}
		most = max(most, len(running))
	}
	return most, waited
}
