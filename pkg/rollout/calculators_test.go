package rollout

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// ago is a time before the decision.
func ago(d time.Duration) *metav1.Time { return &metav1.Time{Time: noon.Add(-d)} }

// newTestRoster is a handler with a stable v2 and a v1 without weight, behind a gateway.
func newTestRoster() (*roster, *unit) {
	old := &unit{Version: "v1", RevisionNumber: 1, Workload: "v1", Sequence: 1, Phase: v1.VersionDraining}
	stable := &unit{Version: "v2", RevisionNumber: 1, Workload: "v2", Sequence: 2, Weight: 100, ExposedWeight: 100, Phase: v1.VersionActive}
	return &roster{
		units: []*unit{old, stable}, ro: &v1.RolloutStatus{Stable: stable.Ref(), Phase: v1.RolloutStable}, records: map[string]Record{},
		policy:   &Policy{Gateway: true, Replicas: 4, MinActive: 1, ProgressDeadline: 10 * time.Minute, ProtectedTags: []string{"stable"}},
		declared: Unit{Version: "v2", RevisionNumber: 1}, observed: observed{"v1": {Exists: true}, "v2": {Exists: true}},
	}, old
}

// TestKeepers holds what keeps a version that drains, and the first of several reasons.
func TestKeepers(t *testing.T) {
	for want, change := range map[v1.StaysReason]func(*roster, *unit){
		"":                   func(*roster, *unit) {},
		v1.StaysDeclared:     func(r *roster, _ *unit) { r.declared.Version = "v1" },
		v1.StaysWeight:       func(_ *roster, u *unit) { u.Weight = 10 },
		v1.StaysGatewayLag:   func(_ *roster, u *unit) { u.ExposedWeight = 10 },
		v1.StaysPodsLeft:     func(r *roster, u *unit) { r.policy.Gateway, u.ExposedWeight = false, 10 },
		v1.StaysKeep:         func(r *roster, _ *unit) { r.records["v1"] = Record{Keep: true, Tags: []string{"stable"}} },
		v1.StaysProtectedTag: func(r *roster, _ *unit) { r.records["v1"] = Record{Tags: []string{"stable"}} },
		v1.StaysMinActive:    func(r *roster, _ *unit) { r.policy.MinActive = 2 },
		v1.StaysPaused:       func(r *roster, _ *unit) { r.ro.Frozen = &v1.Deed{By: "jane"} },
		v1.StaysMinAge:       func(r *roster, u *unit) { r.policy.MinAge, u.AdmittedAt = time.Hour, ago(time.Minute) },
	} {
		r, u := newTestRoster()
		change(r, u)
		c := &clock{now: noon}
		keeps := retention{contracts: contracts{roster: r, clock: c, journal: &journal{clock: c, status: r.ro}}}
		got := v1.StaysReason("")
		if s := keeps.askKeepers(u, keepers); s != nil {
			got = s.Reason
		}
		if got != want {
			t.Errorf("kept by %q, want %q", got, want)
		}
	}
}

// TestParents holds what the answers of a route's parents mean for its weights.
func TestParents(t *testing.T) {
	accepted := Parent{Name: "front", Claimed: true, Accepted: true, ResolvedRefs: true, ObservedGeneration: 3}
	with := func(change func(*Parent)) []Parent {
		p := accepted
		change(&p)
		return []Parent{accepted, p}
	}
	weights := map[string]int32{"v2": 100}
	for name, tc := range map[string]struct {
		route Route
		want  v1.WaitingReason
	}{
		"accepted":             {Route{Exists: true, Generation: 3, Weights: weights, Parents: []Parent{accepted}}, ""},
		"not there":            {Route{}, v1.WaitingForGateway},
		"other weights":        {Route{Exists: true, Generation: 3, Weights: map[string]int32{"v1": 100}, Parents: []Parent{accepted}}, v1.WaitingForGateway},
		"without a parent":     {Route{Exists: true, Generation: 3, Weights: weights}, v1.WaitingForRoute},
		"one has not claimed":  {Route{Exists: true, Generation: 3, Weights: weights, Parents: with(func(p *Parent) { p.Claimed = false })}, v1.WaitingForRoute},
		"one lags":             {Route{Exists: true, Generation: 3, Weights: weights, Parents: with(func(p *Parent) { p.ObservedGeneration = 2 })}, v1.WaitingForGateway},
		"one refuses":          {Route{Exists: true, Generation: 3, Weights: weights, Parents: with(func(p *Parent) { p.Accepted = false })}, v1.WaitingForRoute},
		"one finds no backend": {Route{Exists: true, Generation: 3, Weights: weights, Parents: with(func(p *Parent) { p.ResolvedRefs = false })}, v1.WaitingForRoute},
	} {
		r, _ := newTestRoster()
		c := &clock{now: noon}
		got := gateway{roster: r, clock: c, journal: &journal{clock: c, status: r.ro}, route: tc.route}.checkParents()
		if reasonOf(got) != tc.want {
			t.Errorf("%s: waits for %q, want %q", name, reasonOf(got), tc.want)
		}
	}
}

// TestPodWatch holds when missing or restarting pods fail a rollout.
func TestPodWatch(t *testing.T) {
	for name, tc := range map[string]struct {
		ro      v1.RolloutStatus
		w       Workload
		overdue bool
		exceed  bool
	}{
		"all is well":                    {w: Workload{Observation: Observation{Wanted: 4, Ready: 4}}},
		"short, within the deadline":     {ro: v1.RolloutStatus{ShortSince: ago(9 * time.Minute)}, w: Workload{Observation: Observation{Wanted: 4}}},
		"short for the whole deadline":   {ro: v1.RolloutStatus{ShortSince: ago(10 * time.Minute)}, w: Workload{Observation: Observation{Wanted: 4}}, overdue: true},
		"short and frozen":               {ro: v1.RolloutStatus{ShortSince: ago(time.Hour), Frozen: &v1.Deed{}}, w: Workload{Observation: Observation{Wanted: 4}}},
		"short as any version would be":  {ro: v1.RolloutStatus{ShortSince: ago(time.Hour)}, w: Workload{Observation: Observation{Wanted: 4}, Obstructed: true}},
		"two restarts of one pod":        {ro: v1.RolloutStatus{RestartsSince: ago(time.Minute)}, w: Workload{Observation: Observation{Wanted: 1}, Restarts: 2}},
		"three restarts of one pod":      {ro: v1.RolloutStatus{RestartsSince: ago(time.Minute)}, w: Workload{Observation: Observation{Wanted: 1}, Restarts: 3}, exceed: true},
		"three restarts of a hundred":    {ro: v1.RolloutStatus{RestartsSince: ago(time.Minute)}, w: Workload{Observation: Observation{Wanted: 100}, Restarts: 3}},
		"a restart of each of a hundred": {ro: v1.RolloutStatus{RestartsSince: ago(time.Minute)}, w: Workload{Observation: Observation{Wanted: 100}, Restarts: 100}, exceed: true},
		"restarts before the rollout":    {ro: v1.RolloutStatus{Restarts: 7, RestartsSince: ago(time.Minute)}, w: Workload{Observation: Observation{Wanted: 1}, Restarts: 8}},
		"three restarts in an hour":      {ro: v1.RolloutStatus{RestartsSince: ago(time.Hour)}, w: Workload{Observation: Observation{Wanted: 1}, Restarts: 3}},
	} {
		r, _ := newTestRoster()
		r.ro = &tc.ro
		c := &clock{now: noon}
		p := podWatch{roster: r, clock: c, journal: &journal{clock: c, status: r.ro}}
		if overdue, exceed := p.isOverdue(tc.w), p.restartsExceed(tc.w); overdue != tc.overdue || exceed != tc.exceed {
			t.Errorf("%s: overdue %v, restarts exceed %v; want %v, %v", name, overdue, exceed, tc.overdue, tc.exceed)
		}
	}
}

// TestBars holds what keeps a version from weighted traffic, and from a share of its record.
func TestBars(t *testing.T) {
	for name, tc := range map[string]struct {
		change        func(*roster, *unit)
		weight, share bool
	}{
		"nothing":                    {func(*roster, *unit) {}, false, false},
		"its record is inactive":     {func(r *roster, _ *unit) { r.records["v1"] = Record{Inactive: true} }, true, true},
		"it breaks callers":          {func(r *roster, _ *unit) { r.records["v1"] = Record{Held: "it breaks v2"} }, true, true},
		"it breaks callers, and may": {func(r *roster, u *unit) { r.records["v1"], u.OverriddenBy = Record{Held: "it breaks v2"}, "jane" }, false, false},
		"it was rejected":            {func(r *roster, u *unit) { r.ro.Rejected = []v1.RejectedStatus{{UnitRef: *u.Ref(), Reason: "slow"}} }, false, true},
		"it was rejected, and has traffic": {func(r *roster, u *unit) {
			r.ro.Rejected, u.Weight = []v1.RejectedStatus{{UnitRef: *u.Ref(), Reason: "slow"}}, 10
		}, false, false},
	} {
		r, u := newTestRoster()
		tc.change(r, u)
		c := &clock{now: noon}
		of := contracts{roster: r, clock: c, journal: &journal{clock: c, status: r.ro}}
		if weight, share := of.findBar(u) != "", of.findShareBar(u) != ""; weight != tc.weight || share != tc.share {
			t.Errorf("%s: barred from weight %v (%s), from a share %v (%s); want %v, %v", name, weight, of.findBar(u), share, of.findShareBar(u), tc.weight, tc.share)
		}
	}
}
