package expand

import (
	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/naming"
)

// Serving is one workload of a handler as it was decided to be: the revision that
// it runs and its part of the traffic.
type Serving struct {
	Revision Revision
	// Workload is the value of the label gati.dev/workload: main, or the slug of
	// the version and its revision.
	Workload string
	// Replicas is how many pods to ask for; under an autoscaler how many to start
	// with.
	Replicas int32
	// Least is the fewest that an autoscaler goes down to. Held keeps it there.
	Least int32
	Held  bool
	// Weight is the share of the route's traffic, in percent.
	Weight int32
	// Pins are the values of the header X-Gati-Version that lead here: the version
	// and its tags. Tags keep a pin when there are more than a route can hold.
	Pins []string
	// Reachable reports whether the workload's own Service has had endpoints for long enough
	// that a gateway may be sent there.
	Reachable bool
	// Paused keeps the Deployment from replacing pods.
	Paused bool
	// RestartedAt, when set, has every pod replaced that is older.
	RestartedAt string
	// Live is what the cluster says of the workload.
	Live Live
}

// Handler returns the plan of a handler with the given workloads. front is the one
// that the Service handler-<name> selects; empty selects every one, and the share
// of each is then that of its pods. kept are the other revisions whose ConfigMaps
// must stay, because their pods may still run.
func Handler(h *v1.GatiHandler, r defaulting.Handler, serving []Serving, front string, kept []Revision) Plan {
	o, plan := handlerOwner(h), Plan{}
	revisions := make([]Revision, 0, len(serving)+len(kept))
	for _, s := range serving {
		revisions = append(revisions, s.Revision)
	}
	plan.addConfigs(o, append(revisions, kept...))
	for _, s := range serving {
		w := s.of(h, r)
		plan.addWorkload(w, r.Spec.Autoscaling)
		if ownService(s, len(serving)) {
			plan.Objects = append(plan.Objects, w.service(naming.Workload(h.Name, s.Workload), HandlerPort, *r.Spec.Port))
		}
	}
	plan.Objects = append(plan.Objects, o.front(front, *r.Spec.Port))
	if r.Spec.Route != nil {
		route, unpinned := o.route(&r.Spec, serving, front)
		plan.Objects, plan.Unpinned = append(plan.Objects, route), unpinned
	}
	return plan
}

// HandlerAlone returns the plan of a handler of which nothing is live but the
// revision that its spec leads to.
func HandlerAlone(h *v1.GatiHandler, r defaulting.Handler, running Revision, kept []Revision, live Live) Plan {
	s := Serving{
		Revision: running, Workload: WorkloadOf(r.Spec.Rollout.Strategy, running),
		Replicas: r.Scale.Replicas, Least: r.Scale.Min, Weight: 100, Live: live,
	}
	return Handler(h, r, []Serving{s}, s.Workload, kept)
}

// WorkloadOf returns the workload that a revision gets under a strategy:
// RollingUpdate has one that is updated in place.
func WorkloadOf(strategy v1.Strategy, r Revision) string {
	if strategy == v1.StrategyRollingUpdate {
		return v1.WorkloadMain
	}
	return naming.Slug(r.Version, r.Number)
}

// ownService reports whether a workload has a Service to itself. Alone, main is
// reached through the front, as the documents show it.
func ownService(s Serving, live int) bool { return s.Workload != v1.WorkloadMain || live > 1 }

// of returns the workload that a decision leads to.
func (s Serving) of(h *v1.GatiHandler, r defaulting.Handler) workload {
	scale := r.Scale
	scale.Replicas, scale.Min = s.Replicas, s.Least
	switch {
	case !scale.Auto || s.Replicas == 0:
		// An autoscaler cannot ask for no pod.
		scale.Auto, scale.Max = false, s.Replicas
	case s.Held:
		scale.Max = s.Least
	default:
		scale.Max = max(scale.Max, s.Least)
	}
	return workload{
		owner: handlerOwner(h), name: naming.Deployment(h.Name, s.Workload), workload: s.Workload,
		revision: s.Revision, scale: scale, deadline: r.Spec.Rollout.ProgressDeadline, live: s.Live,
		paused: s.Paused, restartedAt: s.RestartedAt,
	}
}
