package rollouttest

import (
	"fmt"
	"maps"
	"slices"

	"gati.dev/gati/pkg/rollout"
)

// Carelessness is how a controller acts that does not do it as ours.
type Carelessness int

// The ways to be careless.
const (
	Careful Carelessness = iota
	// StopsAtFailures writes nothing after a child that fails, and the route last.
	StopsAtFailures
	// TrustsTheCache acts on a status that is older than the stored one.
	TrustsTheCache
)

// act makes a decision real and returns the generation of the route.
func (l *Life) act(d rollout.Decision, gateway bool) int64 {
	if l.Carelessness == StopsAtFailures && l.Cluster.Jammed {
		return l.Cluster.route.generation
	}
	return l.Cluster.Apply(d, gateway)
}

// lookOutdated is a look at a status that is older than the stored one. A decision that
// changes it is refused by its resourceVersion; another one must not be acted on.
func (l *Life) lookOutdated(in rollout.Input) error {
	in.State = *l.older
	d := l.Next(in)
	if d.Undecided || !sameState(d.State, in.State) || l.Carelessness != TrustsTheCache {
		return nil
	}
	l.act(d, in.Policy.Gateway)
	return l.checkActs(in.Policy.Gateway)
}

// checkActs holds that the cluster has what was decided last: the route its weights,
// and no workload that is not planned.
func (l *Life) checkActs(gateway bool) error {
	if want := weightsOf(l.Last); gateway && !maps.Equal(l.Cluster.route.weights, want) {
		return fmt.Errorf("the route has %v, decided is %v", l.Cluster.route.weights, want)
	}
	if l.Cluster.Jammed {
		return nil
	}
	for _, name := range sorted(l.Cluster.workloads) {
		if !slices.ContainsFunc(l.Last.Workloads, func(p rollout.WorkloadPlan) bool { return p.Workload == name }) {
			return fmt.Errorf("%s is there and not planned", name)
		}
	}
	return nil
}
