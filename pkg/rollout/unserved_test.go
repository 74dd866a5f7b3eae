package rollout_test

import (
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/rollout"
)

// stillborn is a handler whose first version never had a ready pod when v2 took its
// place, and v2 serves.
func stillborn(t *testing.T, source rollouttest.Source, change func(*rollout.Policy)) *rollouttest.Life {
	t.Helper()
	l := rollouttest.NewLife(rollout.Next, 1)
	l.Policy = rollout.Policy{
		Strategy: v1.StrategyCanary, Replicas: 2, Min: 1, Gateway: true, AutoRollback: true,
		ProgressDeadline: 10 * time.Minute, RollbackWindow: time.Hour, DrainWindow: 5 * time.Minute, DrainDeadline: 12 * time.Hour,
		MinAge: time.Second, MinActive: 1,
	}
	if change != nil {
		change(&l.Policy)
	}
	l.Cluster.Source, l.Cluster.Callers = source, 0
	l.Cluster.Qualities[l.Declared.Revision] = rollouttest.NeverReady
	pass(t, l, 4)
	l.Declare("v2", 1)
	look(t, l)
	if v1 := unitOf(l, "v1"); v1.Phase != "Draining" || !v1.Unserved {
		t.Fatalf("v1 is %s, unserved: %v", v1.Phase, v1.Unserved)
	}
	return l
}

func unitOf(l *rollouttest.Life, version string) v1.VersionStatus {
	for _, v := range l.State.Versions {
		if v.Version == version {
			return v
		}
	}
	return v1.VersionStatus{}
}

// TestWhatServedNobodyGoesAtOnce holds that a first version of which no pod was ever
// ready waits for no drain, whatever measures, once the gateway has accepted that it
// gets no traffic.
func TestWhatServedNobodyGoesAtOnce(t *testing.T) {
	for name, source := range map[string]rollouttest.Source{"nothing measures": rollouttest.NoSource, "the source is down": rollouttest.Silent, "zero": rollouttest.Honest} {
		t.Run(name, func(t *testing.T) {
			l := stillborn(t, source, nil)
			if len(l.Last.Delete) > 0 {
				t.Fatal("it goes before the gateway has accepted that it gets no traffic")
			}
			pass(t, l, 4)
			if v := unitOf(l, "v1"); v.Phase != v1.VersionDecommissioned {
				t.Errorf("v1 is %s: %q", v.Phase, l.Last.Notes)
			}
			said := false
			for _, e := range l.State.Rollout.History {
				said = said || e.What == "Decommissioned" && e.Why == "none of its pods was ever ready"
			}
			if !said {
				t.Errorf("it does not say why: %+v", l.State.Rollout.History)
			}
		})
	}
}

// TestWhatServedNobodyIsKept holds that only the drain is skipped.
func TestWhatServedNobodyIsKept(t *testing.T) {
	for name, tc := range map[string]struct {
		policy func(*rollout.Policy)
		record rollout.Record
		stays  v1.StaysReason
	}{
		"minAge":        {policy: func(p *rollout.Policy) { p.MinAge = time.Hour }, stays: v1.StaysMinAge},
		"minActive":     {policy: func(p *rollout.Policy) { p.MinActive = 2 }, stays: v1.StaysMinActive},
		"keep":          {record: rollout.Record{Keep: true}, stays: v1.StaysKeep},
		"protected tag": {policy: func(p *rollout.Policy) { p.ProtectedTags = []string{"stable"} }, record: rollout.Record{Tags: []string{"stable"}}, stays: v1.StaysProtectedTag},
	} {
		t.Run(name, func(t *testing.T) {
			l := stillborn(t, rollouttest.NoSource, tc.policy)
			l.Records["v1"] = tc.record
			pass(t, l, 30)
			if v := unitOf(l, "v1"); v.Stays == nil || v.Stays.Reason != tc.stays {
				t.Errorf("v1 is %s and stays for %+v, want %s", v.Phase, v.Stays, tc.stays)
			}
		})
	}
}

// TestWhatBecomesReadyAfterAllDrains holds that a version which a user may have
// reached by its header since is one like any other.
func TestWhatBecomesReadyAfterAllDrains(t *testing.T) {
	l := stillborn(t, rollouttest.NoSource, func(p *rollout.Policy) { p.MinAge = time.Hour })
	l.Cluster.Qualities["v1-r1"] = rollouttest.Good
	pass(t, l, 20)
	if v := unitOf(l, "v1"); v.Unserved {
		t.Error("v1 is ready, and counts as unserved")
	}
	l.Cluster.Qualities["v1-r1"] = rollouttest.NeverReady
	l.Cluster.Pass(2 * time.Hour)
	pass(t, l, 4)
	if v := unitOf(l, "v1"); v.Stays == nil || v.Stays.Reason != v1.StaysDrainDeadline {
		t.Errorf("v1 is %s and stays for %+v, want it to wait for the deadline", v.Phase, v.Stays)
	}
}
