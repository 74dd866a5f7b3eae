package rollout_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/rollout/simulate"
)

// planning is the policy of a Canary whose steps are planned.
func planning(t *testing.T, a *v1.Analysis, harm int32, steps ...v1.RolloutStep) rollout.Policy {
	t.Helper()
	r := v1.Rollout{Strategy: v1.StrategyCanary, Analysis: a, Steps: steps, AutoSteps: &v1.AutoSteps{Harm: &harm}}
	return rollout.Policy{
		Strategy: v1.StrategyCanary, Steps: rollout.StepsFor(steps), Analysis: analysisOf(t, r), Harm: harm,
		ProgressDeadline: 10 * time.Minute, AutoRollback: true, Gateway: true, Replicas: 2, Min: 1,
	}
}

func leastOf(min v1.Percent) *v1.Analysis {
	return &v1.Analysis{Metrics: []v1.AnalysisMetric{{SuccessRate: &v1.SuccessRate{Min: min}}}}
}

// TestPlanSteps holds what is planned at some rates, and what is said of it.
func TestPlanSteps(t *testing.T) {
	usual := []v1.RolloutStep{{Weight: 10, Pause: "5m"}, {Weight: 50, Pause: "10m"}}
	three := []v1.RolloutStep{{Weight: 5}, {Weight: 10}, {Weight: 20, Pause: "1m"}}
	for name, tc := range map[string]struct {
		policy rollout.Policy
		rate   float64
		want   string
	}{
		"unknown":   {planning(t, leastOf("99"), 100, usual...), 0, "10 % for 5m, 50 % for 10m; the rate of requests is not known, so they are those of the spec"},
		"too low":   {planning(t, leastOf("99"), 100, usual...), 0.01, "10 % for 5m, 50 % for 10m; at 0.01 requests/s no fault shows within 8h20m, so they are those of the spec"},
		"low":       {planning(t, leastOf("99"), 100, usual...), 1, "50 % for 16m, 75 % for 11m; at 1 requests/s a fault in 5 % of the requests shows in the first within 24 bad ones, a smaller one may not; 27m in all"},
		"high":      {planning(t, leastOf("99"), 100, usual...), 100, "5 % for 4m, 52 % for 4m; at 100 requests/s a fault in 5 % of the requests shows in the first within 60 bad ones, a smaller one may not; 8m in all"},
		"very high": {planning(t, leastOf("99"), 100, usual...), 10000, "1 % for 4m, 50 % for 4m; at 10000 requests/s a fault in 5 % of the requests shows in the first within 1200 bad ones, a smaller one may not; no weight keeps harm: 100; 8m in all"},
		"compared":  {planning(t, nil, 100, usual...), 1, "50 % for 26m, 75 % for 41m40s; at 1 requests/s a fault in 10 % of the requests shows in the first within 78 bad ones, a smaller one may not; 1h7m40s in all"},
		"not above": {planning(t, nil, 1000, usual...), 0.1, "50 % for 5h28m, 75 % for 10m; at 0.1 requests/s a fault in 10 % of the requests shows in the first within 99 bad ones, a smaller one may not; one that begins at 75 % does not show; 5h38m in all"},
		"at once":   {planning(t, leastOf("99"), 100, v1.RolloutStep{Weight: 100}), 10, "50 % for 4m; at 10 requests/s a fault in 5 % of the requests shows in the first within 60 bad ones, a smaller one may not; 4m in all"},
		"as many":   {planning(t, leastOf("99"), 100, three...), 10, "50 % for 4m, 66 % for 4m, 83 % for 4m; at 10 requests/s a fault in 5 % of the requests shows in the first within 60 bad ones, a smaller one may not; 12m in all"},
	} {
		if got := tc.policy.PlanSteps(tc.rate); got.Message != tc.want {
			t.Errorf("%s: %s", name, got.Message)
		}
	}
}

// TestTheDocumentShowsAPlan holds that docs/analysis.md shows what is said of a plan.
func TestTheDocumentShowsAPlan(t *testing.T) {
	text, err := os.ReadFile("../../docs/analysis.md")
	if err != nil {
		t.Fatal(err)
	}
	p := planning(t, leastOf("99"), 100)
	if want := "The steps are planned: " + p.PlanSteps(5).Message + "."; !strings.Contains(string(text), "```\n"+want+"\n```") {
		t.Errorf("docs/analysis.md does not show\n%s", want)
	}
}

// TestPlannedStepsKeepHarm plans at random, and holds that a healthy version passes every planned
// step with a verdict, and that a fault of the first step has shown within harm.
func TestPlannedStepsKeepHarm(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 50))
	for range 60 {
		harm, least := 10+random.Int32N(500), []v1.Percent{"90", "95", "99", "99.5"}[random.IntN(4)]
		p, rate := planning(t, leastOf(least), harm), 0.5+random.Float64()*100
		planned := p.PlanSteps(rate)
		p.Steps = p.StepsOf(&v1.RolloutStatus{Planned: planned})
		p.Harm, p.Steps = 0, p.Steps[:len(p.Steps)-1]
		healthy := simulate.NewPlayer(simulate.Scenario{Policy: p, PerSecond: rate}, simulate.Even).Play()
		for i, s := range healthy.Steps {
			if s.Passed == nil {
				t.Fatalf("%g/s, step %d has no verdict: %s", rate, i+1, planned.Message)
			}
		}
		fault := 0.0
		for _, need := range p.Analysis.Needs(p.Analysis.Metrics[0]) {
			fault = need.Fault
		}
		run := simulate.NewPlayer(simulate.Scenario{Policy: p, PerSecond: rate, Fault: fault}, simulate.Even).Play()
		over := strings.Contains(planned.Message, "no weight keeps harm")
		if run.Outcome != simulate.RolledBack || len(run.Steps) > 1 || run.Failed > int64(harm) && !over {
			t.Errorf("%g/s, harm %d: %s at step %d after %d failed: %s", rate, harm, run.Outcome, len(run.Steps), run.Failed, planned.Message)
		}
	}
}

// plannedLife is a handler whose steps are planned, and that has had requests for ten minutes.
func plannedLife(t *testing.T, perSecond float64) *rollouttest.Life {
	t.Helper()
	l := settled(t, v1.StrategyCanary)
	l.Policy.Analysis, l.Policy.Harm = analysisOf(t, v1.Rollout{Strategy: v1.StrategyCanary, Analysis: leastOf("99")}), 100
	l.Cluster.Load.PerSecond = perSecond
	pass(t, l, 60)
	return l
}

// weightsUntil returns the weights of a version until it has all traffic.
func weightsUntil(t *testing.T, l *rollouttest.Life, version string) (out []int32) {
	t.Helper()
	for range 600 {
		pass(t, l, 1)
		if w := weightOf(&l.Last, version); w > 0 && (len(out) == 0 || out[len(out)-1] != w) {
			out = append(out, w)
		}
		if len(out) > 0 && out[len(out)-1] == 100 {
			return out
		}
	}
	return out
}

// TestARolloutTakesItsPlannedSteps holds that the steps are planned once, by the stable version's
// requests, and before the first weight; and again for the next rollout.
func TestARolloutTakesItsPlannedSteps(t *testing.T) {
	for _, tc := range []struct {
		rate float64
		want []int32
	}{{100, []int32{10, 55, 100}}, {5, []int32{50, 75, 100}}, {0, []int32{10, 50, 100}}} {
		l := plannedLife(t, tc.rate)
		if tc.rate == 0 {
			l.Policy.Analysis = analysisOf(t, v1.Rollout{Strategy: v1.StrategyCanary}) // Nothing is measured.
		}
		l.Declare("v2", 1)
		if got := weightsUntil(t, l, "v2"); !slices.Equal(got, tc.want) {
			t.Errorf("%g/s: the weights are %v: %+v", tc.rate, got, l.State.Rollout.Planned)
		}
		first := l.State.Rollout.Planned
		l.Restart()
		pass(t, l, 6)
		if now := l.State.Rollout.Planned; first == nil || now == nil || now.Message != first.Message {
			t.Errorf("%g/s: the plan changed from %+v to %+v", tc.rate, first, now)
		}
	}
}

// TestAPlanIsKeptAndLost holds that a plan is told, that other traffic does not change it, and
// that a rollout whose status is lost goes on.
func TestAPlanIsKeptAndLost(t *testing.T) {
	l := plannedLife(t, 5)
	l.Declare("v2", 1)
	for weightOf(&l.Last, "v2") == 0 {
		pass(t, l, 1)
	}
	if notes := strings.Join(l.Last.Notes, " "); !strings.Contains(notes, "The steps are planned: 50 % for ") {
		t.Errorf("the notes are %q", notes)
	}
	l.Cluster.Load.PerSecond = 500
	pass(t, l, 6)
	if p := l.State.Rollout.Planned; p == nil || p.Steps[0].Weight != 50 || weightOf(&l.Last, "v2") != 50 {
		t.Errorf("other traffic changed the plan: %+v", p)
	}
	l.Wipe()
	if got := weightsUntil(t, l, "v2"); got[len(got)-1] != 100 {
		t.Errorf("after the loss of its status the weights are %v", got)
	}
	l.Declare("v3", 1)
	for l.State.Rollout.Planned == nil || weightOf(&l.Last, "v3") == 0 {
		pass(t, l, 1)
	}
	if w := l.State.Rollout.Planned.Steps[0].Weight; w == 50 {
		t.Errorf("the next rollout has the plan of the first: %+v", l.State.Rollout.Planned)
	}
}
