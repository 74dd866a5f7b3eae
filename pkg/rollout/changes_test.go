package rollout_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// The tables below are the rows of TestChangesOfStrategy: where a handler is, and what its
// user changes then.

type named[T any] struct {
	name string
	do   T
}

// quarters are the steps of the table: the first one lasts until it is promoted.
var quarters = []rollout.Step{{Weight: 25}, {Weight: 50, Pause: 5 * time.Minute}, {Weight: 75, Pause: 5 * time.Minute}}

// wellPlaced is a handler whose first version serves.
func wellPlaced(t *testing.T, strategy v1.Strategy) *rollouttest.Life {
	t.Helper()
	l := settled(t, strategy)
	l.Policy.Steps, l.Policy.RollbackWindow, l.Policy.DrainDeadline = quarters, 10*time.Minute, time.Hour
	pass(t, l, 2)
	return l
}

// inSteps is a canary of v2 after so many promotions.
func inSteps(t *testing.T, promotions int) *rollouttest.Life {
	t.Helper()
	l := wellPlaced(t, v1.StrategyCanary)
	l.Declare("v2", 1)
	pass(t, l, 12)
	for range promotions {
		l.Ask(request.Promote, "")
		pass(t, l, 12)
	}
	return l
}

func finishing(t *testing.T, l *rollouttest.Life) *rollouttest.Life {
	t.Helper()
	l.Ask(request.Promote, request.Full)
	pass(t, l, 20)
	if ro := l.State.Rollout; ro.Phase != v1.RolloutStable || ro.Stable.Version != "v2" {
		t.Fatalf("phase %s, stable %s: %s", ro.Phase, ro.Stable.Title(), l.Last.Reason)
	}
	return l
}

func aging(t *testing.T, l *rollouttest.Life, age time.Duration) *rollouttest.Life {
	t.Helper()
	for end := l.Cluster.Now.Add(age); l.Cluster.Now.Before(end); l.Cluster.Pass(time.Minute) {
		look(t, l)
	}
	return l
}

func aborted(t *testing.T, l *rollouttest.Life) *rollouttest.Life {
	t.Helper()
	l.Ask(request.Abort, "")
	pass(t, l, 12)
	return l
}

func pausedBy(t *testing.T, l *rollouttest.Life) *rollouttest.Life {
	t.Helper()
	l.Ask(request.Pause, "")
	look(t, l)
	return l
}

// fromMain is a canary of v2 whose v1 runs in the workload main.
func fromMain(t *testing.T) *rollouttest.Life {
	t.Helper()
	l := wellPlaced(t, v1.StrategyRollingUpdate)
	l.ChangePolicy(func(p *rollout.Policy) { p.Strategy = v1.StrategyCanary })
	pass(t, l, 3)
	l.Declare("v2", 1)
	pass(t, l, 12)
	return l
}

// starting is a handler without a ready pod.
func startingWith(t *testing.T, strategy v1.Strategy) *rollouttest.Life {
	t.Helper()
	l := rollouttest.NewLife(rollout.Next, 1)
	l.Policy = settled(t, strategy).Policy
	l.Policy.Steps, l.Policy.RollbackWindow = quarters, 10*time.Minute
	l.Cluster.Source, l.Cluster.Callers, l.Cluster.StartUp = rollouttest.NoSource, 0, time.Minute
	pass(t, l, 2)
	return l
}

// sixtyForty has v1 at 60 % and v2 at 40 %.
func sixtyForty(t *testing.T) *rollouttest.Life {
	t.Helper()
	l := wellPlaced(t, v1.StrategyManual)
	l.Declare("v2", 1)
	pass(t, l, 12)
	requestShares(l, "v2=40")
	pass(t, l, 20)
	return l
}

var scenesOfChange = []named[func(*testing.T) *rollouttest.Life]{
	{"Canary, first version starts", func(t *testing.T) *rollouttest.Life { return startingWith(t, v1.StrategyCanary) }},
	{"Canary, 25 % until promoted", func(t *testing.T) *rollouttest.Life { return inSteps(t, 0) }},
	{"Canary, 75 % in its pause", func(t *testing.T) *rollouttest.Life { return inSteps(t, 2) }},
	{"Canary, 75 % paused by a user", func(t *testing.T) *rollouttest.Life { return pausedBy(t, inSteps(t, 2)) }},
	{"Canary, 75 % failed", func(t *testing.T) *rollouttest.Life {
		l := inSteps(t, 2)
		l.Policy.AutoRollback = false
		l.Cluster.Qualities[l.Declared.Revision] = rollouttest.CrashLoop
		pass(t, l, 12)
		l.Cluster.Qualities[l.Declared.Revision] = rollouttest.Good
		return l
	}},
	{"Canary, 100 % in rollbackWindow", func(t *testing.T) *rollouttest.Life { return finishing(t, inSteps(t, 0)) }},
	{"Canary, v1 drains", func(t *testing.T) *rollouttest.Life { return aging(t, finishing(t, inSteps(t, 0)), 20*time.Minute) }},
	{"Canary, finished", func(t *testing.T) *rollouttest.Life { return aging(t, finishing(t, inSteps(t, 0)), 3*time.Hour) }},
	{"Canary, v2 aborted", func(t *testing.T) *rollouttest.Life { return aborted(t, inSteps(t, 2)) }},
	{"Canary from main, 25 %", fromMain},
	{"Canary from main, 100 % in rollbackWindow", func(t *testing.T) *rollouttest.Life { return finishing(t, fromMain(t)) }},
	{"Canary from main, v1 drains", func(t *testing.T) *rollouttest.Life { return aging(t, finishing(t, fromMain(t)), 20*time.Minute) }},
	{"RollingUpdate, first version starts", func(t *testing.T) *rollouttest.Life { return startingWith(t, v1.StrategyRollingUpdate) }},
	{"RollingUpdate, pods are replaced", func(t *testing.T) *rollouttest.Life {
		l := wellPlaced(t, v1.StrategyRollingUpdate)
		l.Declare("v2", 1)
		pass(t, l, 1)
		return l
	}},
	{"RollingUpdate, finished", func(t *testing.T) *rollouttest.Life {
		l := wellPlaced(t, v1.StrategyRollingUpdate)
		l.Declare("v2", 1)
		pass(t, l, 20)
		return l
	}},
	{"RollingUpdate, v2 aborted", func(t *testing.T) *rollouttest.Life {
		l := wellPlaced(t, v1.StrategyRollingUpdate)
		l.Declare("v2", 1)
		pass(t, l, 1)
		return aborted(t, l)
	}},
	{"Manual, 60/40", sixtyForty},
	{"Manual, 60/40 paused by a user", func(t *testing.T) *rollouttest.Life { return pausedBy(t, sixtyForty(t)) }},
	{"Manual, v2 without a share", func(t *testing.T) *rollouttest.Life {
		l := wellPlaced(t, v1.StrategyManual)
		l.Declare("v2", 1)
		pass(t, l, 12)
		return l
	}},
}

func strategyTo(s v1.Strategy) func(*rollout.Policy) {
	return func(p *rollout.Policy) { p.Strategy = s }
}

func stepsTo(steps ...rollout.Step) func(*rollouttest.Life) {
	return func(l *rollouttest.Life) { l.ChangePolicy(func(p *rollout.Policy) { p.Steps = steps }) }
}

var changesOfSpec = []named[func(*rollouttest.Life)]{
	{"strategy Canary", func(l *rollouttest.Life) { l.ChangePolicy(strategyTo(v1.StrategyCanary)) }},
	{"strategy RollingUpdate", func(l *rollouttest.Life) { l.ChangePolicy(strategyTo(v1.StrategyRollingUpdate)) }},
	{"strategy RollingUpdate, no steps", func(l *rollouttest.Life) {
		l.ChangePolicy(func(p *rollout.Policy) { p.Strategy, p.Steps = v1.StrategyRollingUpdate, nil })
	}},
	{"strategy Manual", func(l *rollouttest.Life) { l.ChangePolicy(strategyTo(v1.StrategyManual)) }},
	{"strategy Canary and v3", func(l *rollouttest.Life) {
		l.ChangePolicy(strategyTo(v1.StrategyCanary))
		l.Declare("v3", 1)
	}},
	{"strategy RollingUpdate and v3", func(l *rollouttest.Life) {
		l.ChangePolicy(strategyTo(v1.StrategyRollingUpdate))
		l.Declare("v3", 1)
	}},
	{"strategy Manual and v3", func(l *rollouttest.Life) {
		l.ChangePolicy(strategyTo(v1.StrategyManual))
		l.Declare("v3", 1)
	}},
	{"fewer steps (50)", stepsTo(rollout.Step{Weight: 50, Pause: time.Minute})},
	{"more steps (10 25 60 80 90)", stepsTo(rollout.Step{Weight: 10, Pause: time.Minute}, rollout.Step{Weight: 25, Pause: time.Minute}, rollout.Step{Weight: 60, Pause: time.Minute}, rollout.Step{Weight: 80, Pause: time.Minute}, rollout.Step{Weight: 90, Pause: time.Minute})},
	{"no steps", stepsTo()},
	{"lower weights (5 10 20)", stepsTo(rollout.Step{Weight: 5, Pause: time.Minute}, rollout.Step{Weight: 10, Pause: time.Minute}, rollout.Step{Weight: 20, Pause: time.Minute})},
	{"8 replicas", func(l *rollouttest.Life) { l.Policy.Replicas = 8 }},
	{"2 replicas", func(l *rollouttest.Life) { l.Policy.Replicas = 2 }},
	{"v1 again", func(l *rollouttest.Life) { l.Declare("v1", 1) }},
}

// follow lets time pass, and returns the weights on the way.
func follow(t *testing.T, l *rollouttest.Life, d time.Duration) string {
	t.Helper()
	var states []string
	add := func() {
		var parts []string
		for _, w := range l.Last.Workloads {
			if w.Weight > 0 {
				name := w.Unit.Version
				if w.Workload == v1.WorkloadMain {
					name += "@main"
				}
				parts = append(parts, fmt.Sprintf("%s %d", name, w.Weight))
			}
		}
		s := strings.Join(parts, " ")
		if len(states) == 0 || states[len(states)-1] != s {
			states = append(states, s)
		}
	}
	add()
	for end := l.Cluster.Now.Add(d); l.Cluster.Now.Before(end); l.Cluster.Pass(10 * time.Second) {
		look(t, l)
		add()
	}
	return strings.Join(states, " → ")
}

func TestChangesOfStrategy(t *testing.T) {
	var out strings.Builder
	for _, scene := range scenesOfChange {
		fmt.Fprintf(&out, "# %s\n", scene.name)
		for _, change := range changesOfSpec {
			l := scene.do(t)
			if strings.HasPrefix(change.name, "strategy "+string(l.Policy.Strategy)) && !strings.Contains(change.name, "v3") && !strings.Contains(change.name, "no steps") {
				continue
			}
			change.do(l)
			way := follow(t, l, 30*time.Minute)
			after := fmt.Sprintf("%s %s", l.State.Rollout.Phase, l.Last.Reason)
			if len(l.Last.Notes) > 0 {
				after += " | " + strings.Join(l.Last.Notes, " ")
			}
			phases := ""
			for _, v := range l.State.Versions {
				phases += fmt.Sprintf(" %s:%s", v.Title(), v.Phase)
			}
			l.Declare("v9", 1)
			began := l.Cluster.Now
			released := "never"
			for range 600 {
				look(t, l)
				if s := l.State.Rollout; s.WaitingFor != nil && s.WaitingFor.Reason == v1.WaitingForPromotion {
					l.Ask(request.Promote, request.Full)
				}
				if weightOfVersion(l, "v9") == 100 && l.State.Rollout.Phase == v1.RolloutStable {
					released = l.Cluster.Now.Sub(began).String()
					break
				}
				l.Cluster.Pass(10 * time.Second)
			}
			if l.Policy.Strategy == v1.StrategyManual {
				released = "-"
			}
			if released == "never" {
				released += ": " + l.Last.Reason
			}
			fmt.Fprintf(&out, "%-36s %s\n%37s%s\n%37s%s; v9 %s\n", change.name, way, "", after, "", phases, released)
		}
	}
	golden.Compare(t, "changes.golden", out.String())
}

func weightOfVersion(l *rollouttest.Life, version string) (sum int32) {
	for _, v := range l.State.Versions {
		if v.Version == version {
			sum += v.Weight
		}
	}
	return sum
}
