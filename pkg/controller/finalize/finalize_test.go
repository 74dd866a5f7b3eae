package finalize_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/targettest"
	"gati.dev/gati/pkg/controller/finalize"
	"gati.dev/gati/pkg/target"
)

const held = target.FinalizerPrefix + "test"

// other is a finalizer that is not ours.
const other = "example.com/other"

func newFinalizer(t *testing.T, to *targettest.Fake, now time.Time, h *v1.GatiHandler) (finalize.Finalizer, *events.FakeRecorder) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	recorder := events.NewFakeRecorder(10)
	return finalize.Finalizer{
		Client:  fake.NewClientBuilder().WithScheme(scheme).WithObjects(h).Build(),
		Targets: to.Set(), Events: recorder, Clock: clocktesting.NewFakePassiveClock(now),
	}, recorder
}

// The finalizer is there before anything is applied, once, and beside those of others.
func TestHold(t *testing.T) {
	h := builders.MakeHandler("a").UID("1").Obj()
	h.Finalizers = []string{other}
	to := &targettest.Fake{Holds: held}
	f, _ := newFinalizer(t, to, time.Now(), h)
	if err := f.Client.Get(t.Context(), client.ObjectKeyFromObject(h), h); err != nil {
		t.Fatal(err)
	}
	var versions []string
	for range 2 {
		if err := f.Hold(t.Context(), h, to); err != nil {
			t.Fatal(err)
		}
		versions = append(versions, h.ResourceVersion)
	}
	var stored v1.GatiHandler
	if err := f.Client.Get(t.Context(), client.ObjectKeyFromObject(h), &stored); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(stored.Finalizers, []string{other, held}) || stored.ResourceVersion != versions[1] || versions[0] != versions[1] {
		t.Errorf("got %q at %s after %q", stored.Finalizers, stored.ResourceVersion, versions)
	}
	stale := h.DeepCopy()
	stale.ResourceVersion, stale.Finalizers = "1", nil
	if err := f.Hold(t.Context(), stale, to); err == nil {
		t.Error("the finalizers of an object that has changed were replaced")
	}
}

// The owner is held until its target is done, for ten minutes at most.
func TestDelete(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	tests := map[string]struct {
		target      targettest.Fake
		since       time.Duration
		ending      bool
		unknown     bool
		wantHeld    bool
		wantDeleted int
		wantEvent   string
		wantErr     bool
	}{
		"nothing is left":            {wantDeleted: 1},
		"some is left":               {target: targettest.Fake{Left: 1}, wantHeld: true, wantDeleted: 1},
		"a target that fails":        {target: targettest.Fake{Err: errors.New("down")}, wantHeld: true, wantDeleted: 1, wantErr: true},
		"a target that fails, still": {target: targettest.Fake{Err: errors.New("down")}, since: 10 * time.Minute, wantDeleted: 1, wantEvent: "could not be removed within 10m0s: down."},
		"some is left, still":        {target: targettest.Fake{Left: 9}, since: 10 * time.Minute, wantDeleted: 1, wantEvent: "they are still being deleted"},
		"the namespace goes":         {ending: true},
		"a target no more allowed":   {unknown: true, wantHeld: true},
		"no more allowed, still":     {unknown: true, since: 10 * time.Minute, wantEvent: "the operator no longer allows their target"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			h := builders.MakeHandler("a").UID("1").Obj()
			h.Finalizers, h.DeletionTimestamp = []string{other, held}, &metav1.Time{Time: now.Add(-tc.since)}
			tc.target.Holds = held
			f, recorder := newFinalizer(t, &tc.target, now, h)
			if tc.unknown {
				f.Targets = target.Set{}
			}
			if err := f.Client.Get(t.Context(), client.ObjectKeyFromObject(h), h); err != nil {
				t.Fatal(err)
			}
			again, err := f.Delete(t.Context(), h, tc.ending)
			if (err != nil) != tc.wantErr {
				t.Fatal(err)
			}
			var stored v1.GatiHandler
			if err := f.Client.Get(t.Context(), client.ObjectKeyFromObject(h), &stored); err != nil {
				t.Fatal(err)
			}
			if got := slices.Contains(stored.Finalizers, held); got != tc.wantHeld || !slices.Contains(stored.Finalizers, other) {
				t.Errorf("finalizers %q", stored.Finalizers)
			}
			if tc.target.Deleted != tc.wantDeleted || (again.RequeueAfter > 0) != (tc.wantHeld) {
				t.Errorf("%d calls, again after %s", tc.target.Deleted, again.RequeueAfter)
			}
			event := ""
			if len(recorder.Events) > 0 {
				event = <-recorder.Events
			}
			if (event == "") != (tc.wantEvent == "") || !strings.Contains(event, tc.wantEvent) {
				t.Errorf("event %q, want %q", event, tc.wantEvent)
			}
		})
	}
}
