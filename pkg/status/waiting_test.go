package status_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/reasons"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/status"
)

// TestCountdown holds that the time that is left follows the clock alone: the objects
// stay as they are, and their sentences with them.
func TestCountdown(t *testing.T) {
	cases := map[string]struct {
		objs  status.Objects
		after time.Duration
		want  string
	}{
		"a pause":                  {statustest.AtStep(), 0, "continues in 3m"},
		"a pause, later":           {statustest.AtStep(), 2*time.Minute + 30*time.Second, "continues in 30s"},
		"a pause, over":            {statustest.AtStep(), 3 * time.Minute, "continues when all gates pass"},
		"a clock that went back":   {statustest.AtStep(), -time.Hour, "continues in 63m"},
		"too few pods":             {statustest.TooFewPods(), 5*time.Minute + 50*time.Second, "deadline in 10s"},
		"too few pods, over":       {statustest.TooFewPods(), 6 * time.Minute, "deadline passed"},
		"a route that is refused":  {statustest.GatewayRefuses(), 6 * time.Minute, "deadline in 60s"},
		"a gateway without a time": {statustest.GatewayLags(), 0, "the controller continues automatically"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := status.Build(tc.objs, statustest.Now.Add(tc.after)).Handlers[0]
			if got.Next != tc.want || got.Rollout.Next != tc.want {
				t.Errorf("got %q and %q, want %q", got.Next, got.Rollout.Next, tc.want)
			}
		})
	}
}

// TestLeaving holds that a version stays for the controller's reason alone: neither its
// record nor the spec changes the words.
func TestLeaving(t *testing.T) {
	yes, kept := true, func(o *status.Objects) {
		statustest.Stay(o, v1.StaysMinActive, 0, "fewer than 3 versions would be left (minActive)")
	}
	cases := map[string]struct {
		change func(*status.Objects)
		after  time.Duration
		want   string
	}{
		"a deadline":      {want: "removed in 42m (no traffic metrics, so drain.deadline decides)"},
		"its last minute": {after: 41*time.Minute + 15*time.Second, want: "removed in 45s (no traffic metrics, so drain.deadline decides)"},
		"its time is up":  {after: 42 * time.Minute, want: "removed now (no traffic metrics, so drain.deadline decides)"},
		"minActive":       {change: kept, want: "stays: fewer than 3 versions would be left (minActive)"},
		"warmReplicas": {
			change: func(o *status.Objects) {
				statustest.Stay(o, v1.StaysWarmReplicas, 0, "it keeps 2 pods for a rollback (warmReplicas)")
			},
			after: 24 * time.Hour, want: "stays: it keeps 2 pods for a rollback (warmReplicas)",
		},
		"a record that the controller has not read": {
			change: func(o *status.Objects) { o.Versions[0].Spec.Keep = &yes },
			want:   "removed in 42m (no traffic metrics, so drain.deadline decides)",
		},
		"an older release": {change: func(o *status.Objects) { o.Handlers[0].Status.Versions[0].Stays = nil }},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			objs := statustest.Draining()
			if tc.change != nil {
				tc.change(&objs)
			}
			versions := status.Build(objs, statustest.Now.Add(tc.after)).Handlers[0].Versions
			if got := versions[1].Leaving; got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestOlderRelease holds that nothing is made up about a rollout whose controller does
// not say what it waits for.
func TestOlderRelease(t *testing.T) {
	objs := statustest.AwaitingPromotion()
	h := &objs.Handlers[0]
	h.Status.Rollout.WaitingFor = nil
	const told = "v2.0.0 has 20 % and waits until it is promoted."
	h.Status.Conditions = []metav1.Condition{{Type: v1.ConditionReady, Status: metav1.ConditionFalse, Message: told}}
	if r := status.Build(objs, statustest.Now).Handlers[0].Rollout; r.Reason != told || r.Waits || r.NextAt != nil {
		t.Errorf("got %+v", r)
	}
}

// TestEveryWaitHasANext holds that each reason to wait is rendered with its message and
// a next step, and that only requests and spec changes are left to users.
func TestEveryWaitHasANext(t *testing.T) {
	objs := statustest.AtStep()
	w := objs.Handlers[0].Status.Rollout.WaitingFor
	for _, w.Reason = range reasons.Waiting() {
		h := status.Build(objs, statustest.Now).Handlers[0]
		if r := h.Rollout; r.Reason != w.Message || r.Next == "" || r.WaitingFor.Reason != w.Reason {
			t.Errorf("%s: %+v", w.Reason, r)
		}
		if h.Reason != w.Message {
			t.Errorf("%s: %s, %q", w.Reason, h.Health, h.Reason)
		}
	}
}
