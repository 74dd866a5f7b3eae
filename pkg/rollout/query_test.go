package rollout_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/rollout"
)

// queried is a settled Canary with one step, which a query holds it to. Only the
// measurement that the returned pointer leads to is ever seen.
func queried(t *testing.T, perStep bool) (*rollouttest.Life, *rollout.Measurement) {
	t.Helper()
	l, least, only := settled(t, v1.StrategyCanary), 98.0, &rollout.Measurement{}
	l.Policy.Steps = []rollout.Step{{Weight: 10, Pause: time.Minute}}
	l.Policy.Analysis = &rollout.AnalysisPolicy{
		Interval: 15 * time.Second, Window: 30 * time.Second, PerStep: perStep, FailureLimit: 2, MinSamples: 20, NoData: v1.NoDataWait,
		Metrics: []rollout.Metric{{Name: "good answers", Kind: rollout.Query, Min: &least}},
	}
	l.Next = func(in rollout.Input) rollout.Decision {
		if in.Measurements = nil; !only.At.IsZero() {
			in.Measurements = []rollout.Measurement{*only}
		}
		return rollout.Next(in)
	}
	return l, only
}

// TestAQueryProvesTheStepThatItWasMeasuredIn holds that a step is left only for a
// measurement from after its start: one of the same moment has seen no request of it.
func TestAQueryProvesTheStepThatItWasMeasuredIn(t *testing.T) {
	for name, tc := range map[string]struct {
		perStep bool
		// from and at are the window, counted from the start of the step.
		from, at time.Duration
		want     bool
	}{
		"before the step":          {false, -31 * time.Second, -time.Second, false},
		"when the step began":      {false, -30 * time.Second, 0, false},
		"after the step began":     {false, -29 * time.Second, time.Second, true},
		"per step, from before it": {true, -time.Second, 29 * time.Second, false},
		"per step, from its start": {true, 0, 30 * time.Second, true},
		"per step, within it":      {true, time.Second, 31 * time.Second, true},
		"when the pause was over":  {false, 30 * time.Second, time.Minute, true},
	} {
		t.Run(name, func(t *testing.T) {
			l, only := queried(t, tc.perStep)
			l.Declare("v2", 1)
			began := untilAStep(t, l)
			samples := int64(400)
			*only = rollout.Measurement{Name: "good answers", Of: "v2", From: began.Add(tc.from), At: began.Add(tc.at), Known: true, Value: 99.9, Samples: &samples}
			pass(t, l, 12)
			if got := l.State.Rollout.Stable.Version == "v2"; got != tc.want {
				t.Errorf("promoted: %v, want %v: %s", got, tc.want, l.Last.Reason)
			}
		})
	}
}

// untilAStep passes time until a step has begun, and returns when it did.
func untilAStep(t *testing.T, l *rollouttest.Life) *metav1.Time {
	t.Helper()
	for range 20 {
		if pass(t, l, 1); l.State.Rollout.StepStartedAt != nil {
			return l.State.Rollout.StepStartedAt
		}
	}
	t.Fatalf("no step began: %s", l.Last.Reason)
	return nil
}

// TestAMeasurementCountsOnceWhenTheClockGoesBack holds that a measurement that failed is not
// taken for another one by a clock that went back behind it, and that the next one counts.
func TestAMeasurementCountsOnceWhenTheClockGoesBack(t *testing.T) {
	l, only := queried(t, false)
	l.Declare("v2", 1)
	untilAStep(t, l)
	failures := func() int32 { return l.State.Rollout.Analysis[0].Failures }
	measure := func() {
		samples, now := int64(400), l.Input().Now
		*only = rollout.Measurement{Name: "good answers", Of: "v2", From: now.Add(-30 * time.Second), At: now, Known: true, Value: 90, Samples: &samples}
		look(t, l)
	}
	l.Cluster.Pass(40 * time.Second)
	measure()
	if failures() != 1 {
		t.Fatalf("%d measurements failed, want 1: %s", failures(), l.Last.Reason)
	}
	l.Cluster.Skew -= 10 * time.Second
	look(t, l)
	look(t, l)
	if l.State.Rollout.Phase != v1.RolloutProgressing || failures() != 1 {
		t.Fatalf("a measurement counts again: %s, %+v", l.Last.Reason, l.State.Rollout.Analysis)
	}
	measure()
	if l.State.Rollout.Phase != v1.RolloutRollingBack {
		t.Errorf("another one does not count: %s, %+v", l.Last.Reason, l.State.Rollout.Analysis)
	}
}

// TestMeasurementsCountBehindAStartThatIsAhead holds that a clock that went back behind the
// start of a rollout takes no measurement from its steps.
func TestMeasurementsCountBehindAStartThatIsAhead(t *testing.T) {
	l, only := queried(t, false)
	l.Policy.Analysis.NoData = v1.NoDataFail
	l.Declare("v2", 1)
	look(t, l)
	l.Cluster.Skew -= 20 * time.Minute
	untilAStep(t, l)
	if ro := l.State.Rollout; !ro.StepStartedAt.Before(ro.StartedAt) {
		t.Fatalf("the step began at %v, the rollout at %v: %s", ro.StepStartedAt, ro.StartedAt, l.Last.Reason)
	}
	for range 12 {
		samples, now := int64(400), l.Input().Now
		*only = rollout.Measurement{Name: "good answers", Of: "v2", From: now.Add(-30 * time.Second), At: now, Known: true, Value: 99.9, Samples: &samples}
		pass(t, l, 2)
	}
	if got := l.State.Rollout.Stable.Version; got != "v2" {
		t.Errorf("stable is %s: %s", got, l.Last.Reason)
	}
}
