package rollout_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// metrics are what pods may answer with, as far as a source can tell.
var (
	zeroNow  = rollout.Traffic{Source: "pods", Known: true, From: noon.Add(-time.Minute), At: noon}
	stopped  = rollout.Traffic{Source: "pods", At: noon, Message: "connection refused"}
	mute     = rollout.Traffic{Source: "pods", Unproven: true, At: noon, Message: "404"}
	unasked  = rollout.Traffic{Source: "pods", Unproven: true}
	combined = rollout.Traffic{Source: "prometheus+pods", Known: true, From: noon.Add(-time.Minute), At: noon}
)

// TestWhatMeasuresIsPersisted holds that pods which have answered with metrics have a source
// from then on, and that only those which never have are left to drain.deadline.
func TestWhatMeasuresIsPersisted(t *testing.T) {
	for name, tc := range map[string]struct {
		was     string
		traffic rollout.Traffic
		want    string
		stays   v1.StaysReason
	}{
		"first answer":                    {"", zeroNow, "pods", v1.StaysDrainWindow},
		"never an answer":                 {"", mute, "none", v1.StaysDrainDeadline},
		"not asked":                       {"", unasked, "", v1.StaysDrainDeadline},
		"not asked by this process":       {"none", unasked, "none", v1.StaysDrainDeadline},
		"an answer after all":             {"none", zeroNow, "pods", v1.StaysDrainWindow},
		"metrics that stop":               {"pods", stopped, "pods", v1.StaysTrafficUnknown},
		"metrics that stop, new process":  {"pods", mute, "pods", v1.StaysTrafficUnknown},
		"metrics before, not asked again": {"pods", unasked, "pods", v1.StaysTrafficUnknown},
		"metrics before, both sources":    {"prometheus+pods", mute, "prometheus+pods", v1.StaysTrafficUnknown},
		"a Prometheus that is gone":       {"prometheus", mute, "none", v1.StaysDrainDeadline},
		"a Prometheus beside":             {"", combined, "prometheus+pods", v1.StaysDrainWindow},
		"nothing is configured any more":  {"pods", rollout.Traffic{}, "", v1.StaysDrainDeadline},
	} {
		t.Run(name, func(t *testing.T) {
			in := drained()
			in.Policy.DrainDeadline = 4 * time.Hour
			in.State.Versions[0].TrafficSource = tc.was
			w := in.Workloads["v1"]
			w.Traffic = tc.traffic
			in.Workloads["v1"] = w
			v := rollout.Next(in).Versions[0]
			if v.TrafficSource != tc.want || v.Stays == nil || v.Stays.Reason != tc.stays {
				t.Errorf("%q measures it, it stays for %+v; want %q and %s", v.TrafficSource, v.Stays, tc.want, tc.stays)
			}
		})
	}
}

// TestASourceIsSought holds whose pods are asked before a decision rests on their traffic.
func TestASourceIsSought(t *testing.T) {
	for name, tc := range map[string]struct {
		change  func(*rollout.Input)
		traffic rollout.Traffic
		want    bool
	}{
		"not asked yet":      {nil, unasked, true},
		"no metrics so far":  {nil, mute, true},
		"metrics":            {nil, zeroNow, false},
		"a Prometheus":       {nil, rollout.Traffic{Source: "prometheus"}, false},
		"nothing configured": {nil, rollout.Traffic{}, false},
		"RollingUpdate":      {func(in *rollout.Input) { in.Policy.Strategy = v1.StrategyRollingUpdate }, unasked, false},
		"without a gateway":  {func(in *rollout.Input) { in.Policy.Gateway = false }, unasked, false},
	} {
		t.Run(name, func(t *testing.T) {
			in := drained()
			if tc.change != nil {
				tc.change(&in)
			}
			w := in.Workloads["v2"]
			w.Traffic = tc.traffic
			in.Workloads["v2"] = w
			for _, plan := range rollout.Next(in).Workloads {
				if plan.Workload == "v2" && plan.SeekSource != tc.want {
					t.Errorf("%v, want %v", plan.SeekSource, tc.want)
				}
			}
		})
	}
}

// TestStartingPodsSayNothing holds that pods which are not ready are no pods without metrics,
// unless their version drains.
func TestStartingPodsSayNothing(t *testing.T) {
	in := drained()
	for _, name := range []string{"v1", "v2"} {
		w := in.Workloads[name]
		w.Traffic, w.Ready = mute, 0
		in.Workloads[name] = w
	}
	in.Policy.DrainDeadline = 4 * time.Hour
	d := rollout.Next(in)
	if got := d.Versions[0].TrafficSource + "/" + d.Versions[1].TrafficSource; got != "none/" {
		t.Errorf("%q, want none of v1 and nothing of v2", got)
	}
}

// TestDecommissionWarnsOfCallers holds that a request to end a version says when it was last
// called, if that is not long ago, and what its callers get then.
func TestDecommissionWarnsOfCallers(t *testing.T) {
	const end = "v1 is removed once it has drained"
	for name, tc := range map[string]struct {
		called time.Duration
		run    string
		want   string
	}{
		"called lately":                    {time.Hour, "", end + "; it was last called at 11:00:00 UTC, within versions.coldAfter (168h): clients that still name it are then served by v2"},
		"called lately, and v2 breaks it":  {time.Hour, "v2", end + "; it was last called at 11:00:00 UTC, within versions.coldAfter (168h): clients that still name it are then refused with 410"},
		"not called for longer than cold":  {8 * 24 * time.Hour, "", end},
		"never called as far as is known ": {0, "", end},
	} {
		t.Run(name, func(t *testing.T) {
			in := drained()
			in.State.Versions[0].Evidence = &v1.EvidenceStatus{Source: "pods", State: v1.EvidenceZero}
			if tc.called > 0 {
				in.State.Versions[0].Evidence.LastRequest = &metav1.Time{Time: noon.Add(-tc.called)}
			}
			in.Records["v2"] = rollout.Record{Run: tc.run}
			r := requestOf(request.Decommission, "v1")
			r.ID = "id"
			if got := handledBy(in, r).Outcome; got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}
