package simulate_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/rollout/simulate"
)

// scenarioOf returns the rollout of a handler behind a gateway with this rollout in its spec.
func scenarioOf(t *testing.T, r v1.Rollout, perSecond, fault float64) simulate.Scenario {
	t.Helper()
	r.Strategy = v1.StrategyCanary
	h, errs := defaulting.ResolveHandler(&v1.GatiHandlerSpec{Path: "/a", Image: "i:v1", Route: &v1.Route{}, Rollout: &r}, facts.Facts{})
	if errs != nil {
		t.Fatal(errs)
	}
	return simulate.Scenario{Policy: rollout.PolicyFor(h), PerSecond: perSecond, Fault: fault}
}

// TestOutcomes plays one rollout to each end, with even requests.
func TestOutcomes(t *testing.T) {
	least := func(min v1.Percent) *v1.Analysis {
		return &v1.Analysis{Metrics: []v1.AnalysisMetric{{SuccessRate: &v1.SuccessRate{Min: min}}}}
	}
	for name, tc := range map[string]struct {
		of      v1.Rollout
		rate    float64
		fault   float64
		outcome simulate.Outcome
		steps   int
		// soon is at least, late at most how long it takes.
		soon, late time.Duration
	}{
		"healthy":        {v1.Rollout{Analysis: least("99")}, 100, 0, simulate.Promoted, 3, 15 * time.Minute, 16 * time.Minute},
		"faulty":         {v1.Rollout{Analysis: least("99")}, 100, 1, simulate.RolledBack, 1, 15 * time.Second, time.Minute},
		"no requests":    {v1.Rollout{Analysis: least("99")}, 1e-9, 1, simulate.Promoted, 3, 20 * time.Minute, 21 * time.Minute},
		"no rollback":    {v1.Rollout{Analysis: least("99"), AutoRollback: new(bool)}, 100, 1, simulate.RolledBack, 1, 15 * time.Second, time.Minute},
		"found later":    {v1.Rollout{Analysis: least("90"), Steps: []v1.RolloutStep{{Weight: 1, Pause: "1s"}}, ProgressDeadline: "1s"}, 100, 1, simulate.RolledBack, 2, 15 * time.Second, 2 * time.Minute},
		"waits for one":  {v1.Rollout{Analysis: least("99"), Steps: []v1.RolloutStep{{Weight: 10}}}, 1, 0, simulate.Waiting, 1, 10 * time.Minute, 11 * time.Minute},
		"waits for some": {v1.Rollout{Analysis: &v1.Analysis{Inconclusive: v1.InconclusiveWait, Metrics: least("99").Metrics}}, 0.1, 0, simulate.Waiting, 1, 10 * time.Minute, 11 * time.Minute},
		"latency": {v1.Rollout{Analysis: &v1.Analysis{Metrics: []v1.AnalysisMetric{
			{SuccessRate: &v1.SuccessRate{Min: "99"}}, {Latency: &v1.Latency{Max: "500ms", Baseline: &v1.Baseline{Within: "20"}}},
		}}}, 100, 0, simulate.Promoted, 3, 15 * time.Minute, 16 * time.Minute},
	} {
		run := simulate.NewPlayer(scenarioOf(t, tc.of, tc.rate, tc.fault), simulate.Even).Play()
		if run.Outcome != tc.outcome || len(run.Steps) != tc.steps || run.Took < tc.soon || run.Took > tc.late {
			t.Errorf("%s: %s at step %d after %s", name, run.Outcome, len(run.Steps), run.Took)
		}
		if want := int64(float64(run.Requests) * tc.fault); run.Failed != want {
			t.Errorf("%s: %d of %d requests fail, want %d", name, run.Failed, run.Requests, want)
		}
	}
}

// TestWithoutAGateway holds that pods split the requests where no gateway does.
func TestWithoutAGateway(t *testing.T) {
	s := scenarioOf(t, v1.Rollout{Steps: []v1.RolloutStep{{Weight: 50, Pause: "10m"}}, RollbackWindow: "1s"}, 10, 0)
	s.Policy.Gateway, s.Policy.Replicas = false, 4
	run := simulate.NewPlayer(s, simulate.Even).Play()
	if run.Outcome != simulate.Promoted || run.Requests < 2900 || run.Requests > 3300 {
		t.Errorf("%s with %d requests to the new version, want half of 6,000", run.Outcome, run.Requests)
	}
}

// TestSummarize sums up four runs.
func TestSummarize(t *testing.T) {
	p := scenarioOf(t, v1.Rollout{Steps: []v1.RolloutStep{{Weight: 10, Pause: "1m"}}}, 1, 0).Policy
	at := func(began ...time.Duration) (out []simulate.Step) {
		for _, b := range began {
			out = append(out, simulate.Step{Began: b})
		}
		return out
	}
	got := simulate.Summarize(&p, []simulate.Run{
		{Outcome: simulate.RolledBack, Took: 30 * time.Second, Steps: at(0), Failed: 4},
		{Outcome: simulate.RolledBack, Took: 90 * time.Second, Steps: at(0, time.Minute), Failed: 8},
		{Outcome: simulate.Promoted, Took: time.Minute, Steps: at(0, time.Minute), Failed: 1},
		{Outcome: simulate.Waiting, Took: time.Minute, Steps: at(0), Failed: 2},
	})
	want := simulate.Summary{
		RolledBack: 1, RolledBackLater: 1, Promoted: 1, Waiting: 1,
		SecondsToRollback: &simulate.Spread{Median: 30, Percentile90: 90}, SecondsToPromotion: &simulate.Spread{Median: 60, Percentile90: 60},
		FailedRequests: simulate.Spread{Median: 2, Percentile90: 8},
		Steps: []simulate.StepSummary{
			{Weight: 10, RolledBack: 1, SecondsToBegin: &simulate.Spread{}},
			{Weight: 100, RolledBack: 1, SecondsToBegin: &simulate.Spread{Median: 60, Percentile90: 60}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want,+got):\n%s", diff)
	}
}
