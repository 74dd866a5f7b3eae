package handler

import (
	"errors"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/rollout/replay"
)

const replayName = "handler-users-replay"

// servingWorld is a handler whose first version serves.
func servingWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, builders.MakeHandler("users").Namespace("shop").Path("/users").Version("v1").Image("app:v1").Strategy(v1.StrategyRollingUpdate).Default().Obj())
	w.r.Release = "v0.1.0"
	w.settle()
	w.becomeReady()
	return w
}

// becomeReady has the pod of the handler's template ready.
func (w *world) becomeReady() {
	w.t.Helper()
	w.setReady("handler-users")
	w.addEndpoints("handler-users", 1)
	w.clock.Step(patience)
	w.settle()
	if ro := w.handler().Status.Rollout; ro.Phase != v1.RolloutStable {
		w.t.Fatalf("phase %s: %+v", ro.Phase, ro.WaitingFor)
	}
}

// rollOut rolls a version out, and returns the writes of its record.
func (w *world) rollOut(version string) (writes []string) {
	w.t.Helper()
	before := w.fail
	w.fail = func(verb string, obj client.Object) error {
		if obj.GetName() == replayName {
			writes = append(writes, verb)
		}
		return before(verb, obj)
	}
	w.change(func(s *v1.GatiHandlerSpec) { s.Version, s.Image = v1.VersionID(version), "app:"+version })
	w.settle()
	w.becomeReady()
	w.fail = before
	return writes
}

// replayed returns the decisions in the record of the handler, each of which comes out the same.
func (w *world) replayed() []replay.Entry {
	w.t.Helper()
	var cm corev1.ConfigMap
	w.must(w.get(&cm, replayName))
	entries, err := replay.Read(cm.BinaryData[replay.Key])
	w.must(err)
	for i := range entries {
		if differs, err := entries[i].Replay(rollout.Next); err != nil || differs != nil {
			w.t.Errorf("decision %d: %v, %+v", entries[i].Number, err, differs)
		}
	}
	return entries
}

// TestARolloutIsRecorded holds that each rollout but the first costs one write of its record,
// which has its decisions from the first to the last, and that a handler at rest has none in
// memory.
func TestARolloutIsRecorded(t *testing.T) {
	w := servingWorld(t)
	if err := w.get(&corev1.ConfigMap{}, replayName); !apierrors.IsNotFound(err) {
		t.Errorf("the first version is recorded: %v", err)
	}
	if writes := w.rollOut("v2"); !slices.Equal(writes, []string{"create"}) {
		t.Errorf("the record of v2 is written by %q", writes)
	}
	entries := w.replayed()
	first, last := entries[0], entries[len(entries)-1]
	if first.Release != "v0.1.0" || first.Input.State.Rollout.Stable.Version != "v1" || first.Decision.Rollout.Phase != v1.RolloutProgressing || last.Decision.Rollout.Phase != v1.RolloutStable {
		t.Errorf("it begins with %+v and ends with %+v", first.Decision.Rollout, last.Decision.Rollout)
	}
	if writes := w.rollOut("v3"); !slices.Equal(writes, []string{"patch"}) {
		t.Errorf("the record of v3 is written by %q", writes)
	}
	if stable := w.replayed()[0].Input.State.Rollout.Stable.Version; stable != "v2" {
		t.Errorf("the record begins with %s", stable)
	}
	w.change(func(s *v1.GatiHandlerSpec) { n := int32(2); s.Replicas = &n })
	w.settle()
	if len(w.r.replays.of) > 0 {
		t.Errorf("a handler at rest is recorded: %+v", w.r.replays.of)
	}
}

// TestARecordIsNoChild holds that the record belongs to its handler, and that no cache, plan or
// status has it.
func TestARecordIsNoChild(t *testing.T) {
	w := servingWorld(t)
	w.rollOut("v2")
	var cm corev1.ConfigMap
	w.must(w.get(&cm, replayName))
	if !metav1.IsControlledBy(&cm, w.handler()) || len(cm.Labels) > 0 {
		t.Errorf("%+v", cm.ObjectMeta)
	}
	for _, c := range w.handler().Status.Children {
		if c.Name == replayName {
			t.Errorf("status.children has %+v", c)
		}
	}
}

// TestARecordOfAnotherIsLeftAlone holds that an object of that name which is not the handler's
// stays as it is, and that a record which cannot be written hinders no rollout. An Event tells
// once.
func TestARecordOfAnotherIsLeftAlone(t *testing.T) {
	for name, tc := range map[string]struct {
		prepare func(*world)
		want    string
	}{
		"another's": {func(w *world) {
			w.must(w.live.Create(w.t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: replayName}, Data: map[string]string{"a": "b"}}))
		}, "ConfigMap handler-users-replay already exists and was not created by this object; delete or rename it"},
		"a quota": {func(w *world) {
			w.fail = func(_ string, obj client.Object) error {
				if obj.GetName() == replayName {
					return errors.New("exceeded quota")
				}
				return nil
			}
		}, "exceeded quota"},
	} {
		w := servingWorld(t)
		tc.prepare(w)
		drainEvents(w)
		w.rollOut("v2")
		var cm corev1.ConfigMap
		if err := w.get(&cm, replayName); err == nil && (cm.BinaryData != nil || len(cm.OwnerReferences) > 0) {
			t.Errorf("%s: it was taken over: %+v", name, cm)
		}
		w.clock.Step(patience)
		w.settle()
		var told []string
		for _, e := range drainEvents(w) {
			if strings.Contains(e, "NotRecorded") {
				told = append(told, e)
			}
		}
		if len(told) != 1 || !strings.HasSuffix(told[0], "The decisions of the rollout are not kept for a replay: "+tc.want) {
			t.Errorf("%s: Events %q", name, told)
		}
	}
}

// drainEvents returns the Events since the last look.
func drainEvents(w *world) (out []string) {
	for told := w.r.Events.(*events.FakeRecorder).Events; len(told) > 0; {
		out = append(out, <-told)
	}
	return out
}

// TestAKilledProcessLosesTheBeginOnly holds that another process goes on with a record of its
// own.
func TestAKilledProcessLosesTheBeginOnly(t *testing.T) {
	w := servingWorld(t)
	w.change(func(s *v1.GatiHandlerSpec) { s.Version, s.Image = "v2", "app:v2" })
	w.reconcileOnce()
	if ro := w.handler().Status.Rollout; ro.Phase != v1.RolloutProgressing || len(w.r.replays.of) != 1 {
		t.Fatalf("phase %s, %d records", ro.Phase, len(w.r.replays.of))
	}
	w.r.replays.of = nil
	w.settle()
	w.becomeReady()
	if entries := w.replayed(); entries[0].Number != 1 || entries[0].Input.State.Rollout.Phase != v1.RolloutProgressing {
		t.Errorf("it begins with %+v", entries[0].Input.State.Rollout)
	}
}
