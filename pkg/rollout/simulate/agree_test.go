package simulate_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/rollout/simulate"
)

// decided is what one decision came to.
type decided struct {
	Phase   v1.RolloutPhase
	Step    int32
	Weights map[string]int32
	Metrics []v1.MetricStatus
	History []v1.HistoryEntry
}

// decidedBy returns it without the names of processes, which are the world's own.
func decidedBy(d rollout.Decision) decided {
	ro := d.Rollout.DeepCopy()
	for _, s := range ro.Analysis {
		if s.Counted != nil {
			s.Counted.TargetCounters, s.Counted.StableCounters = nil, nil
		}
	}
	out := decided{ro.Phase, ro.Step, map[string]int32{}, ro.Analysis, ro.History}
	for _, w := range d.Workloads {
		out.Weights[w.Workload] = w.Weight
	}
	return out
}

// lifeOf returns a handler of the model whose cluster is as the simulation's: its pods are ready
// and known at once, and its gateway takes every weight at once.
func lifeOf(s simulate.Scenario) *rollouttest.Life {
	l := rollouttest.NewLife(rollout.Next, 1)
	l.Policy = s.Policy
	l.Cluster.Source, l.Cluster.Callers = rollouttest.NoSource, 0
	l.Cluster.StartUp, l.Cluster.AcceptLag = -15*time.Second, 0
	return l
}

// TestTheSimulationIsTheMachine plays 50 rollouts in the simulation and in the model of a
// cluster, which checks every promise of the machine, with the same requests. Every decision
// is the same: weights, steps, evidence and history.
func TestTheSimulationIsTheMachine(t *testing.T) {
	policies := map[string]v1.Rollout{
		"default": {},
		"min":     {Analysis: &v1.Analysis{Metrics: []v1.AnalysisMetric{{SuccessRate: &v1.SuccessRate{Min: "99"}}}}},
		"both": {Analysis: &v1.Analysis{Inconclusive: v1.InconclusiveWait, Metrics: []v1.AnalysisMetric{
			{SuccessRate: &v1.SuccessRate{Min: "95", Baseline: &v1.Baseline{Within: "1"}}},
		}}},
		"quick": {
			Steps:    []v1.RolloutStep{{Weight: 5, Pause: "1m"}, {Weight: 20, Pause: "90s"}, {Weight: 100, Pause: "2m"}},
			Analysis: &v1.Analysis{Interval: "10s", Inconclusive: v1.InconclusiveFail, Metrics: []v1.AnalysisMetric{{SuccessRate: &v1.SuccessRate{Min: "90"}}}},
		},
		"no rollback": {AutoRollback: new(bool)},
	}
	outcomes := map[simulate.Outcome]int{}
	for name, r := range policies {
		for seed := range uint64(10) {
			s := scenarioOf(t, r, []float64{0.2, 2, 20}[seed%3], []float64{0, 0.02, 0.1, 0.5, 1}[seed%5])
			t.Run(fmt.Sprintf("%s, seed %d", name, seed), func(t *testing.T) {
				outcomes[simulate.NewPlayer(s, drawn(seed)).Play().Outcome]++
				agree(t, s, seed)
			})
		}
	}
	if outcomes[simulate.RolledBack] < 10 || outcomes[simulate.Promoted] < 10 {
		t.Errorf("the rollouts ended so: %v", outcomes)
	}
}

func drawn(seed uint64) simulate.Traffic { return simulate.Drawn(rand.New(rand.NewPCG(seed, 1))) }

// agree compares the decisions of half an hour.
func agree(t *testing.T, s simulate.Scenario, seed uint64) {
	t.Helper()
	p, l := simulate.NewPlayer(s, drawn(seed)), lifeOf(s)
	settle(t, l)
	l.Cluster.Load = rollouttest.Load{PerSecond: s.PerSecond, Bad: map[string]float64{"v2-r1": s.Fault}, Traffic: drawn(seed)}
	for first := true; p.Elapsed() < 30*time.Minute; first = false {
		got := p.Look()
		if err := l.Look(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(decidedBy(l.Last), decidedBy(got)); diff != "" {
			t.Fatalf("after %s (-machine,+simulation):\n%s", p.Elapsed(), diff)
		}
		if first {
			l.Cluster.Recount("v2", 0, -time.Second) // Its process starts a second after it is decided.
		}
		l.Cluster.Pass(0)
		l.Cluster.Pass(p.Pass())
	}
}

// settle brings a handler to where the simulation begins: its first version serves for an hour.
func settle(t *testing.T, l *rollouttest.Life) {
	t.Helper()
	for _, after := range []time.Duration{0, time.Hour} {
		if err := l.Look(); err != nil {
			t.Fatal(err)
		}
		l.Cluster.Pass(after)
	}
	l.Declare("v2", 1)
}
