package rollout_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

func TestNext(t *testing.T) {
	rolling := rollout.Observation{Updated: 1, Ready: 2, Wanted: 2}
	done := rollout.Observation{Updated: 2, Ready: 2, Wanted: 2, Complete: true}
	active := func(version string, sequence int64, revision string, number int64) v1.VersionStatus {
		return v1.VersionStatus{Version: version, Sequence: sequence, Phase: v1.VersionActive, Weight: 100, Workload: "main", Revision: revision, RevisionNumber: number}
	}
	draining := func(v v1.VersionStatus) v1.VersionStatus { v.Phase, v.Weight = v1.VersionDraining, 0; return v }
	over := func(v v1.VersionStatus) v1.VersionStatus {
		v.Phase, v.Weight, v.Workload = v1.VersionDecommissioned, 0, ""
		return v
	}
	one, two := active("v1", 1, "r-1", 1), active("v2", 2, "r-2", 1)
	tests := map[string]struct {
		in rollout.Input

		want       []v1.VersionStatus
		wantReason string
	}{
		"the first version": {rollout.Input{Version: "v1", Revision: "r-1", RevisionNumber: 1},
			[]v1.VersionStatus{one}, "Version v1 is rolling out: 0 of 0 pods updated, 0 ready."},
		"it stays": {rollout.Input{Version: "v1", Revision: "r-1", RevisionNumber: 1, State: []v1.VersionStatus{one}, Seen: done},
			[]v1.VersionStatus{one}, "Version v1 serves with 2 of 2 pods ready."},
		"a second template of it": {rollout.Input{Version: "v1", Revision: "r-9", RevisionNumber: 2, State: []v1.VersionStatus{one}, Seen: rolling},
			[]v1.VersionStatus{active("v1", 1, "r-9", 2)}, "Version v1 is rolling out: 1 of 2 pods updated, 2 ready."},
		"the next version": {rollout.Input{Version: "v2", Revision: "r-2", RevisionNumber: 1, State: []v1.VersionStatus{one}, Seen: rolling},
			[]v1.VersionStatus{draining(one), two}, "Version v2 is rolling out: 1 of 2 pods updated, 2 ready."},
		"no pod of the one before is left": {rollout.Input{Version: "v2", Revision: "r-2", RevisionNumber: 1, State: []v1.VersionStatus{draining(one), two}, Seen: done},
			[]v1.VersionStatus{over(one), two}, "Version v2 serves with 2 of 2 pods ready."},
		"over stays over while pods change": {rollout.Input{Version: "v2", Revision: "r-2", RevisionNumber: 1, State: []v1.VersionStatus{over(one), two}, Seen: rolling},
			[]v1.VersionStatus{over(one), two}, "Version v2 is rolling out: 1 of 2 pods updated, 2 ready."},
		"back to an old version, its place kept": {rollout.Input{Version: "v1", Revision: "r-1", RevisionNumber: 1, State: []v1.VersionStatus{over(one), two}, Seen: rolling},
			[]v1.VersionStatus{one, draining(two)}, "Version v1 is rolling out: 1 of 2 pods updated, 2 ready."},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := rollout.Next(tc.in)
			if diff := cmp.Diff(tc.want, got.Versions); diff != "" {
				t.Errorf("versions (-want +got):\n%s", diff)
			}
			if got.Reason != tc.wantReason {
				t.Errorf("reason %q, want %q", got.Reason, tc.wantReason)
			}
		})
	}
}

func TestSentence(t *testing.T) {
	tests := map[string]struct {
		seen rollout.Observation
		want string
	}{
		"nothing seen":     {rollout.Observation{}, "It is rolling out: 0 of 0 pods updated, 0 ready."},
		"rolling":          {rollout.Observation{Updated: 1, Ready: 3, Wanted: 4}, "It is rolling out: 1 of 4 pods updated, 3 ready."},
		"updated, not all": {rollout.Observation{Updated: 4, Ready: 3, Wanted: 4, Complete: true}, "It has 3 of 4 pods ready."},
		"done":             {rollout.Observation{Updated: 4, Ready: 4, Wanted: 4, Complete: true}, "It serves with 4 of 4 pods ready."},
		"scaled to 0":      {rollout.Observation{Complete: true}, "It is scaled to 0 pods."},
		"going to 0":       {rollout.Observation{Ready: 2}, "It is rolling out: 0 of 0 pods updated, 2 ready."},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := rollout.Sentence("It", tc.seen); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}
