package simulate

import (
	"maps"
	"math"
	"time"

	"gati.dev/gati/pkg/rollout"
)

// world has what the machine sees: pods that are ready, a gateway that has taken what was
// written, and counters.
type world struct {
	now       time.Time
	workloads map[string]*workload
	weights   map[string]int32
	// writes counts the changes of the route.
	writes int64
}

// workload is what runs one version. Its pods count as one process.
type workload struct {
	plan             rollout.WorkloadPlan
	started          time.Time
	requests, failed float64
}

// apply makes a decision real, and reports whether anything changed.
func (w *world) apply(d *rollout.Decision) (changed bool) {
	weights := map[string]int32{}
	for _, plan := range d.Workloads {
		one := w.workloads[plan.Workload]
		if one == nil {
			one = &workload{started: w.now.Add(time.Second)} // No pod starts before it is decided.
			w.workloads[plan.Workload] = one
		}
		changed = changed || one.plan.Replicas != plan.Replicas
		one.plan, weights[plan.Workload] = plan, plan.Weight
	}
	if !maps.Equal(w.weights, weights) {
		w.weights, changed = weights, true
		w.writes++
	}
	return changed
}

// observe completes the input of a decision. A workload of the declared version that does not
// exist is seen not to.
func (w *world) observe(in *rollout.Input) {
	in.Now = w.now
	in.Workloads = map[string]rollout.Workload{in.Declared.Version: {}}
	in.Counters = map[string]rollout.Counters{}
	for name, one := range w.workloads {
		n := one.plan.Replicas
		in.Workloads[name] = rollout.Workload{
			Exists: true, Unit: one.plan.Unit,
			Observation: rollout.Observation{Updated: n, Ready: n, Wanted: n, Complete: true},
		}
		in.Counters[name] = rollout.NewCounters(w.now, []rollout.InstanceCounters{one.count(name)}, "")
	}
	in.Route = rollout.Route{
		Exists: w.writes > 0, Weights: w.weights, Generation: w.writes,
		Parents: []rollout.Parent{{Name: "Gateway", Claimed: true, ObservedGeneration: w.writes, Accepted: true, ResolvedRefs: true}},
	}
}

// fast is the bound of the histograms, in seconds, that no request takes longer than; slow is
// another, so that no limit of a latency is beyond the last one.
const fast, slow = 0.01, 3600

// count returns the counters of a workload. A request that fails is not slow.
func (w *workload) count(name string) rollout.InstanceCounters {
	all := int64(math.Floor(w.requests))
	return rollout.InstanceCounters{
		ID: name, Started: w.started, Requests: all, Errors: int64(math.Floor(w.failed)),
		Buckets: []rollout.Bucket{{Bound: fast, Count: all}, {Bound: slow, Count: all}, {Bound: math.Inf(1), Count: all}},
	}
}

// sharePercent returns the part of all requests that a workload gets: its weight, or without a
// gateway its part of the pods.
func (w *world) sharePercent(name string, gateway bool) float64 {
	if gateway {
		return float64(w.weights[name])
	}
	all := int32(0)
	for _, one := range w.workloads {
		all += one.plan.Replicas
	}
	return 100 * float64(w.workloads[name].plan.Replicas) / float64(max(1, all))
}
