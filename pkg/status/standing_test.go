package status_test

import (
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/status"
)

// TestCountdown holds that what comes next follows the clock alone: the objects
// stay as they are, and their sentences with them.
func TestCountdown(t *testing.T) {
	cases := map[string]struct {
		objs  status.Objects
		after time.Duration
		want  string
	}{
		"a pause":                   {statustest.AtStep(), 0, "100 % in 3m"},
		"a pause, later":            {statustest.AtStep(), 2*time.Minute + 30*time.Second, "100 % in 30s"},
		"a pause, over":             {statustest.AtStep(), 3 * time.Minute, "100 % as soon as its gates pass"},
		"a pause, long over":        {statustest.AtStep(), time.Hour, "100 % as soon as its gates pass"},
		"a clock that went back":    {statustest.AtStep(), -time.Hour, "100 % in 63m"},
		"too few pods":              {statustest.TooFewPods(), 5*time.Minute + 50*time.Second, "it goes back to v1.0.0 in 10s unless more pods become ready"},
		"too few pods for too long": {statustest.TooFewPods(), 6 * time.Minute, "it goes back to v1.0.0, unless more pods become ready"},
		"a route that is refused":   {statustest.GatewayRefuses(), 6 * time.Minute, "it stops in 60s unless the gateway accepts the route"},
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

// TestLeaving holds what is said of a version on its way out, and that what keeps
// it comes before when it would go.
func TestLeaving(t *testing.T) {
	cases := map[string]struct {
		change func(*status.Objects)
		after  time.Duration
		want   string
	}{
		"drain.deadline decides":      {want: "goes in 42m"},
		"its last minute":             {after: 41*time.Minute + 15*time.Second, want: "goes in 45s"},
		"its time is up":              {after: 42 * time.Minute, want: "goes now"},
		"the gateway has not said so": {change: func(o *status.Objects) { first(o).DrainingSince = nil }, want: "drains once the gateway has accepted that it gets no traffic"},
		"a rollback window that is longer": {
			change: func(o *status.Objects) { o.Handlers[0].Spec.Rollout.RollbackWindow = "2h" },
			want:   "goes in 101m",
		},
		"minAge is longer": {
			change: func(o *status.Objects) { o.Handlers[0].Spec.Versions.MinAge = "1d" },
			want:   "goes in 21h",
		},
		"minAge, but somebody asked for it": {
			change: func(o *status.Objects) {
				o.Handlers[0].Spec.Versions.MinAge, first(o).DecommissionedBy = "1d", "jane"
			},
			want: "goes in 42m",
		},
		"a protected tag": {
			change: func(o *status.Objects) { o.Versions[0].Spec.Tags = []v1.Tag{"blue", "production"} },
			want:   "stays: its tag production is protected",
		},
		"a tag that protects nothing": {
			change: func(o *status.Objects) { o.Versions[0].Spec.Tags = []v1.Tag{"blue"} },
			want:   "goes in 42m",
		},
		"keep": {
			change: func(o *status.Objects) { yes := true; o.Versions[0].Spec.Keep = &yes },
			want:   "stays: its record says keep",
		},
		"somebody paused the handler": {
			change: func(o *status.Objects) {
				o.Handlers[0].Status.Rollout.Frozen = &v1.Deed{By: "jane", At: statustest.Ago(time.Minute)}
			},
			want: "stays: paused by jane",
		},
		"without a gateway it has no pods": {
			change: func(o *status.Objects) { o.Handlers[0].Spec.Route = nil },
			want:   "goes now",
		},
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

func first(o *status.Objects) *v1.VersionStatus { return &o.Handlers[0].Status.Versions[0] }
