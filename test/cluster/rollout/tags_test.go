package rollout_test

import (
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// TestATagLeadsToOneVersion holds that a second version does not get a tag, and
// that who asks is told by which record the first one has it.
func TestATagLeadsToOneVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	manual := func(version string) *v1.GatiHandler { return w.makeCanary(version).Strategy(v1.StrategyManual).Obj() }
	w.applyHandler(manual("v1"))
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	w.applyHandler(manual("v2"))
	w.setTrafficShare("users-v1", 50)
	w.setTrafficShare("users-v2", 50)
	w.awaitPhase("users", "v1 50 v2 50", v1.RolloutStable)

	if err := w.setTags("users-v1", "blue"); err != nil {
		t.Fatal(err)
	}
	err := w.setTags("users-v2", "blue")
	if err == nil || !strings.Contains(err.Error(), "spec.tags[0]") || !strings.Contains(err.Error(), "leads to version v1 by GatiVersion users-v1 already") {
		t.Errorf("the second version is told %v", err)
	}
	if err := w.setTags("users-v1"); err != nil {
		t.Fatal(err)
	}
	if err := w.setTags("users-v2", "blue"); err != nil {
		t.Errorf("the tag is free: %v", err)
	}
}

func (w *world) setTags(name string, tags ...v1.Tag) error {
	w.t.Helper()
	record := &v1.GatiVersion{}
	if err := admin.Get(w.t.Context(), client.ObjectKey{Namespace: w.ns, Name: name}, record); err != nil {
		w.t.Fatal(err)
	}
	before := record.DeepCopy()
	record.Spec.Tags = tags
	return admin.Patch(w.t.Context(), record, client.MergeFrom(before))
}
