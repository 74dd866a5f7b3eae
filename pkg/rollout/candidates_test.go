package rollout

import (
	"testing"

	v1 "gati.dev/gati/api/v1"
)

// TestCandidates holds which template should serve beside the stable v1, and what keeps the
// declared v2 from it: among its units, and in the one workload of a RollingUpdate.
func TestCandidates(t *testing.T) {
	full := &Turn{Bounds: []Bound{{Scope: "the cluster", Limit: 1, Taken: 1}}}
	for name, c := range map[string]struct {
		ro              v1.RolloutStatus
		record          Record
		turn            *Turn
		wanted, inPlace string
		hold, holdHere  v1.WaitingReason
	}{
		"nothing is wrong": {wanted: "v2", inPlace: "v2"},
		"it was rejected": {
			ro:     v1.RolloutStatus{Rejected: []v1.RejectedStatus{{UnitRef: v1.UnitRef{Version: "v2", RevisionNumber: 1}, Reason: "it is slow"}}},
			wanted: "v1", inPlace: "v1", hold: v1.WaitingForSpecChange, holdHere: v1.WaitingForSpecChange,
		},
		"a rollback is pinned": {
			ro:     v1.RolloutStatus{Pinned: &v1.PinnedStatus{UnitRef: v1.UnitRef{Version: "v1", RevisionNumber: 1}}},
			wanted: "v1", inPlace: "v1", hold: v1.WaitingForSpecChange, holdHere: v1.WaitingForSpecChange,
		},
		"it breaks callers": {
			record: Record{Held: "it breaks v1"},
			wanted: "v1", inPlace: "v1", hold: v1.WaitingForCompatibility, holdHere: v1.WaitingForCompatibility,
		},
		"its record is inactive, which RollingUpdate does not ask": {
			record: Record{Inactive: true},
			wanted: "v1", inPlace: "v2", hold: v1.WaitingForActivation,
		},
		"others take every place, for which only the one workload waits here": {
			turn: full, wanted: "v2", inPlace: "v1", holdHere: v1.WaitingForTurn,
		},
		"paused": {
			ro:     v1.RolloutStatus{Frozen: &v1.Deed{By: "jane"}},
			wanted: "v2", inPlace: "v1", holdHere: v1.WaitingForResume,
		},
	} {
		m := newMachine(Input{
			Declared: Unit{Version: "v2", RevisionNumber: 1}, Turn: c.turn, Records: map[string]Record{"v2": c.record},
			State: State{Rollout: &c.ro, Versions: []v1.VersionStatus{
				{Version: "v1", RevisionNumber: 1, Workload: "v1", Sequence: 1, Weight: 100, Phase: v1.VersionActive},
				{Version: "v2", RevisionNumber: 1, Workload: "v2", Sequence: 2, Phase: v1.VersionActive},
			}},
		})
		m.ro.Stable, m.ro.Phase = m.units[0].Ref(), v1.RolloutStable
		u, hold := m.candidates.findWanted()
		run, holdHere := m.candidates.unitToRun()
		if u.Version != c.wanted || reasonOf(hold) != c.hold {
			t.Errorf("%s: %s should serve, held by %q; want %s and %q", name, u.Version, reasonOf(hold), c.wanted, c.hold)
		}
		if run.Version != c.inPlace || reasonOf(holdHere) != c.holdHere {
			t.Errorf("%s: %s should run in place, held by %q; want %s and %q", name, run.Version, reasonOf(holdHere), c.inPlace, c.holdHere)
		}
	}
}

func reasonOf(v verdict) v1.WaitingReason {
	if v.isPass() {
		return ""
	}
	return v.waiting.Reason
}
