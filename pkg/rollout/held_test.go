package rollout_test

import (
	"strings"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

const breaking = "it breaks callers of v1"

// hold declares a v2 that breaks callers beside a v1 that serves.
func hold(t *testing.T, strategy v1.Strategy) *rollouttest.Life {
	t.Helper()
	l := settled(t, strategy)
	l.Declare("v2", 1)
	l.Records["v2"] = rollout.Record{Held: breaking}
	pass(t, l, 5)
	return l
}

// planOf returns the plan of a version, nil if there is none.
func planOf(l *rollouttest.Life, version string) *rollout.WorkloadPlan {
	for i := range l.Last.Workloads {
		if l.Last.Workloads[i].Unit.Version == version {
			return &l.Last.Workloads[i]
		}
	}
	return nil
}

// A version that breaks callers lives by its header, however long, and is rolled
// out as soon as it is covered.
func TestHeldLivesByItsHeader(t *testing.T) {
	l := hold(t, v1.StrategyCanary)
	for range 30 {
		l.Cluster.Pass(time.Hour)
		look(t, l)
	}
	p := planOf(l, "v2")
	if p == nil || p.Weight != 0 || p.Replicas != 1 || !p.Pinned {
		t.Fatalf("after a day: %+v, %s", p, l.Last.Reason)
	}
	if notes := strings.Join(l.Last.Notes, " "); !strings.Contains(notes, breaking) {
		t.Errorf("it does not say why: %s %s", l.Last.Reason, notes)
	}
	l.Ask(request.Promote, request.Full)
	look(t, l)
	if r := l.State.Rollout.Requests; !r[len(r)-1].Refused || !strings.Contains(r[len(r)-1].Outcome, breaking) {
		t.Errorf("promote: %+v", r[len(r)-1])
	}
	l.Records["v2"] = rollout.Record{}
	pass(t, l, 5)
	if p := planOf(l, "v2"); p == nil || p.Weight == 0 {
		t.Errorf("covered, and given no weight: %s", l.Last.Reason)
	}
}

// Under RollingUpdate a version that breaks callers is not rolled out at all.
func TestHeldIsNotRolledOutInPlace(t *testing.T) {
	l := hold(t, v1.StrategyRollingUpdate)
	if planOf(l, "v2") != nil || planOf(l, "v1") == nil || !strings.Contains(strings.Join(l.Last.Notes, " "), breaking) {
		t.Errorf("%+v %q", l.Last.Workloads, l.Last.Notes)
	}
}

// Under Manual it gets none of the weight that its record asks for.
func TestHeldGetsNoShare(t *testing.T) {
	l := hold(t, v1.StrategyManual)
	half := int32(50)
	l.Records["v1"], l.Records["v2"] = rollout.Record{Traffic: &half}, rollout.Record{Traffic: &half, Held: breaking}
	pass(t, l, 20)
	if p := planOf(l, "v2"); p == nil || p.Weight != 0 || !p.Pinned {
		t.Errorf("%+v", p)
	}
	l.Records["v2"] = rollout.Record{Traffic: &half}
	pass(t, l, 20)
	if p := planOf(l, "v2"); p == nil || p.Weight != 50 {
		t.Errorf("covered: %+v", p)
	}
}

// Who may, lets it take traffic: by the annotation or by a request. It is told
// once, with the name and the reason, and holds for every template of the version.
func TestOverride(t *testing.T) {
	ways := map[string]func(*rollouttest.Life){
		"annotation": func(l *rollouttest.Life) { l.Records["v2"] = rollout.Record{Held: breaking, AllowedBy: "jane"} },
		"request":    func(l *rollouttest.Life) { l.Ask(request.Override, request.AllowBreaking) },
	}
	for way, allow := range ways {
		for _, strategy := range []v1.Strategy{v1.StrategyCanary, v1.StrategyRollingUpdate} {
			t.Run(way+"/"+string(strategy), func(t *testing.T) {
				l := hold(t, strategy)
				allow(l)
				pass(t, l, 3)
				told := 0
				for _, e := range l.State.Rollout.History {
					if e.By == "jane" && strings.Contains(e.Why, breaking) {
						told++
					}
				}
				if p := planOf(l, "v2"); told != 1 || p == nil || p.Weight == 0 {
					t.Fatalf("told %d times, plan %+v: %s", told, p, l.Last.Reason)
				}
				l.Declare("v2", 2)
				l.Records["v2"] = rollout.Record{Held: breaking}
				pass(t, l, 5)
				if notes := strings.Join(l.Last.Notes, " ") + l.Last.Reason; strings.Contains(notes, breaking) {
					t.Errorf("another template of the version is held: %s", notes)
				}
			})
		}
	}
}
