package handler

import (
	"encoding/json"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/client-go/tools/events"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/soak"
)

// TestALongLife holds that a handler with many versions behind it costs what one with a
// few costs: versions in its status, records, revisions, writes and objects that are read.
// GATI_SOAK=aLongLife has 500 versions.
func TestALongLife(t *testing.T) {
	const limit, early = 3, 6
	versions := soak.Pick("aLongLife", 500, 11)
	w := newWorld(t, builders.MakeHandler("users").Path("/users").Version("v1").Image("app:v1").Spec(func(s *v1.GatiHandlerSpec) {
		kept := int32(limit)
		s.Versions = &v1.VersionPolicy{HistoryLimit: &kept}
	}).Default().Obj())
	w.r.Events = &events.FakeRecorder{} // They are more than it would keep.
	var before, last map[string]int
	for i := range versions {
		if i > 0 {
			w.change(func(s *v1.GatiHandlerSpec) {
				s.Version, s.Image = v1.VersionID(fmt.Sprint("v", i+1)), fmt.Sprint("app:v", i+1)
			})
		}
		last = w.roll()
		switch {
		case i == 2:
			w.tag("users-v2")
		case i == early:
			before = last
		case i > early:
			for what, n := range last {
				if n > before[what] {
					t.Fatalf("version %d: %d %s, %d at version %d", i+1, n, what, before[what], early+1)
				}
			}
		}
	}
	t.Logf("at version %d: %v", versions, last)
	var kept v1.GatiVersion
	if err := w.get(&kept, "users-v2"); err != nil {
		t.Errorf("the record that has a tag: %v", err)
	}
	// Stable, those of kept revisions, and the one with a tag.
	if most := 1 + limit + 1 + 1; last["versions"] > most || last["records"] > most {
		t.Errorf("%v, want at most %d versions", last, most)
	}
}

// tag gives a record a tag, as a user does.
func (w *world) tag(name string) {
	w.t.Helper()
	var record v1.GatiVersion
	w.must(w.get(&record, name))
	record.Spec.Tags = []v1.Tag{"blue"}
	w.must(w.live.Update(w.t.Context(), &record))
}

// roll reconciles until every pod runs the declared version, and returns what that cost and
// what is there in the end.
func (w *world) roll() map[string]int {
	w.t.Helper()
	writes, read := 0, w.read.Load()
	step := func() {
		_, err := w.reconcile()
		w.must(err)
		writes += len(w.writes)
		w.clock.Step(patience)
	}
	for range 3 {
		step()
	}
	w.setReady("handler-users")
	w.addEndpoints("handler-users", 1)
	for range 4 {
		step()
	}
	if len(w.writes) > 0 {
		w.t.Fatalf("it does not settle: %q", w.writes)
	}
	h := w.handler()
	if h.Status.Health != v1.Healthy {
		w.t.Fatalf("%s: %s", h.Status.Health, h.Status.Phase)
	}
	raw, err := json.Marshal(h.Status.Versions)
	w.must(err)
	var records v1.GatiVersionList
	var revisions appsv1.ControllerRevisionList
	w.must(w.live.List(w.t.Context(), &records))
	w.must(w.live.List(w.t.Context(), &revisions))
	return map[string]int{
		"writes": writes, "objects read": int(w.read.Load()-read+9) / 10 * 10, "versions": len(h.Status.Versions),
		"hundreds of bytes of versions": len(raw) / 100, "records": len(records.Items), "revisions": len(revisions.Items),
	}
}
