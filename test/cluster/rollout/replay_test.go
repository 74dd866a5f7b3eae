package rollout_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/rollout/replay"
	"gati.dev/gati/test/support/statusrecorder"
)

// awaitReplay waits for the record of a rollout to a version, and holds that each of its
// decisions comes out the same.
func (w *world) awaitReplay(version string) (entries []replay.Entry) {
	w.t.Helper()
	w.eventually("the record of the rollout to "+version, func() (err error) {
		var cm corev1.ConfigMap
		if err := admin.Get(w.t.Context(), client.ObjectKey{Namespace: w.ns, Name: naming.ReplayName("users")}, &cm); err != nil {
			return err
		}
		if entries, err = replay.Read(cm.BinaryData[replay.Key]); err != nil {
			w.t.Fatal(err)
		}
		if got := entries[0].Input.Declared.Version; got != version {
			return fmt.Errorf("it is that to %s", got)
		}
		return nil
	})
	for i := range entries {
		if differs, err := entries[i].Replay(rollout.Next); err != nil || len(differs) > 0 {
			w.t.Errorf("decision %d of %d differs: %+v, %v", entries[i].Number, len(entries), differs, err)
		}
	}
	return entries
}

// TestRolloutsAreReplayed holds that a canary which is promoted and one which is aborted have a
// record of one write each, by which each decision comes out the same. It has gati-webhook to
// itself, without an election: no record outlives a leader's term, which ends on a busy machine.
func TestRolloutsAreReplayed(t *testing.T) {
	mortalWebhook(t)
	w := newWorld(t)
	written := statusrecorder.Of[*corev1.ConfigMap](t, admin, &corev1.ConfigMapList{}, client.InNamespace(w.ns))
	countWrites := func() (n int) {
		for _, f := range written.Frames() {
			if f.Object.Name == naming.ReplayName("users") {
				n++
			}
		}
		return n
	}
	w.applyHandler(w.makeCanary("v1").Obj())
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	w.applyHandler(w.makeCanary("v2").Obj())
	w.awaitPhase("users", "v2 100", v1.RolloutStable)
	entries := w.awaitReplay("v2")
	first, last := entries[0], entries[len(entries)-1]
	if first.Number != 1 || first.Input.State.Rollout.Target != nil || last.Decision.Rollout.Stable.Version != "v2" || last.Number != len(entries) {
		t.Errorf("the record of v2 goes from %d, %+v, to %d, %+v", first.Number, first.Decision.Rollout, last.Number, last.Decision.Rollout)
	}
	if n := countWrites(); n != 1 {
		t.Errorf("the record of v2 has %d writes", n)
	}

	w.applyHandler(w.slowCanary("v3").Obj())
	w.awaitPhase("users", "v2 50 v3 50", v1.RolloutProgressing)
	w.requestAsAdmin("users", "abort")
	w.awaitPhase("users", "v2 100 v3 0", v1.RolloutStable)
	entries = w.awaitReplay("v3")
	last = entries[len(entries)-1]
	if rejected := last.Decision.Rollout.Rejected; len(rejected) != 1 || !strings.HasPrefix(rejected[0].Reason, "aborted by") {
		t.Errorf("the record of v3 ends with %+v", rejected)
	}
	if n := countWrites(); n != 2 {
		t.Errorf("the records have %d writes", n)
	}
}

// TestAKilledRecordIsReadable kills the controllers in the middle of a canary: the record goes
// from there to its end. It has gati-webhook to itself.
func TestAKilledRecordIsReadable(t *testing.T) {
	mortal, w := mortalWebhook(t), newWorld(t)
	w.applyHandler(w.makeCanary("v1").Obj())
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	w.applyHandler(w.slowCanary("v2").Obj())
	w.awaitPhase("users", "v1 50 v2 50", v1.RolloutProgressing)
	if err := errors.Join(mortal.Kill(), mortal.Start(t.Context())); err != nil {
		t.Fatal(err)
	}
	w.requestAsAdmin("users", "promote")
	w.awaitPhase("users", "v2 100", v1.RolloutStable)
	entries := w.awaitReplay("v2")
	first, last := entries[0], entries[len(entries)-1]
	if first.Number != 1 || first.Input.State.Rollout.Target == nil || last.Decision.Rollout.Phase != v1.RolloutStable {
		t.Errorf("it begins with %+v and ends with %+v", first.Input.State.Rollout, last.Decision.Rollout)
	}
}
