package rollout_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

var now = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// rolling is an input of the strategy RollingUpdate.
func rolling(version string, number int64, revision string, seen rollout.Observation, state ...v1.VersionStatus) rollout.Input {
	return rollout.Input{
		Now: now, Policy: rollout.Policy{Strategy: v1.StrategyRollingUpdate, Replicas: 2},
		Declared:  rollout.Unit{Version: version, RevisionNumber: number, Revision: revision},
		State:     rollout.State{Versions: state},
		Workloads: map[string]rollout.Workload{v1.WorkloadMain: {Exists: seen.Wanted > 0, Observation: seen}},
	}
}

func TestRollingUpdate(t *testing.T) {
	going := rollout.Observation{Updated: 1, Ready: 2, Wanted: 2}
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
		"the first version": {rolling("v1", 1, "r-1", rollout.Observation{}),
			[]v1.VersionStatus{one}, "Version v1 is rolling out: 0 of 0 pods updated, 0 ready."},
		"it stays": {rolling("v1", 1, "r-1", done, one),
			[]v1.VersionStatus{one}, "Version v1 serves with 2 of 2 pods ready."},
		"a second template of it": {rolling("v1", 2, "r-9", going, one),
			[]v1.VersionStatus{active("v1", 1, "r-9", 2)}, "Version v1 is rolling out: 1 of 2 pods updated, 2 ready."},
		"the next version": {rolling("v2", 1, "r-2", going, one),
			[]v1.VersionStatus{draining(one), two}, "Version v2 is rolling out: 1 of 2 pods updated, 2 ready."},
		"no pod of the one before is left": {rolling("v2", 1, "r-2", done, draining(one), two),
			[]v1.VersionStatus{over(one), two}, "Version v2 serves with 2 of 2 pods ready."},
		"over stays over while pods change": {rolling("v2", 1, "r-2", going, over(one), two),
			[]v1.VersionStatus{over(one), two}, "Version v2 is rolling out: 1 of 2 pods updated, 2 ready."},
		"back to an old version, its place kept": {rolling("v1", 1, "r-1", going, over(one), two),
			[]v1.VersionStatus{one, draining(two)}, "Version v1 is rolling out: 1 of 2 pods updated, 2 ready."},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := rollout.Next(tc.in)
			bookkeeping := cmpopts.IgnoreFields(v1.VersionStatus{}, "AdmittedAt", "ExposedWeight", "Replicas")
			if diff := cmp.Diff(tc.want, got.Versions, bookkeeping); diff != "" {
				t.Errorf("versions (-want +got):\n%s", diff)
			}
			if got.Reason != tc.wantReason {
				t.Errorf("reason %q, want %q", got.Reason, tc.wantReason)
			}
			if len(got.Workloads) != 1 || got.Workloads[0].Workload != v1.WorkloadMain || len(got.Delete) > 0 {
				t.Errorf("plan %+v, delete %v; want the workload main alone", got.Workloads, got.Delete)
			}
			if got.Front != v1.WorkloadMain {
				t.Errorf("the front selects %q, want main", got.Front)
			}
		})
	}
}

// A status keeps as many versions as the CRD takes, the newest ones.
func TestLongLife(t *testing.T) {
	var state rollout.State
	for i := range 560 {
		version := "v" + time.Duration(i).String()
		in := rolling(version, 1, "r-"+version, rollout.Observation{Updated: 1, Ready: 1, Wanted: 1, Complete: true})
		in.State = state
		state = rollout.Next(in).State
	}
	if n := len(state.Versions); n > 512 || state.Versions[n-1].Sequence != 560 {
		t.Errorf("%d versions, the last has place %d", n, state.Versions[n-1].Sequence)
	}
}

func TestDescribeProgress(t *testing.T) {
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
			if got := rollout.DescribeProgress("It", tc.seen); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}
