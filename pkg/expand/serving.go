package expand

import (
	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/naming"
)

// Serving is the decided state of one workload of a handler: its revision and its
// share of the traffic.
type Serving struct {
	Revision Revision
	// IsLost reports that the revision is gone. The plan has then no Deployment of the
	// workload, and all that needs no template.
	IsLost bool
	// Workload is the value of the label gati.dev/workload: main, or the slug of
	// the version and its revision.
	Workload string
	// Replicas is the number of pods, under an autoscaler the initial one.
	Replicas int32
	// MinReplicas is the autoscaler's lower bound. Held makes it the upper bound as
	// well.
	MinReplicas int32
	Held        bool
	// MayIdle lets KEDA take the last pod away while no trigger is active.
	MayIdle bool
	// Weight is the share of the route's traffic in percent.
	Weight int32
	// Pins are the values of the header X-Gati-Version that select this workload:
	// the version and its tags. Tagged versions keep their pins if there are more
	// than a route can hold.
	Pins []string
	// Reachable reports whether the workload's own Service has had endpoints for
	// long enough to be a backend.
	Reachable bool
	// Paused keeps the Deployment from replacing pods.
	Paused bool
	// RestartedAt, if set, replaces every pod that is older.
	RestartedAt string
	// Live is the observed state of the workload.
	Live Live
}

// Handler returns the plan of a handler with the given workloads. front is the
// workload that the front Service selects; if empty it selects all, and each one's
// share is that of its pods. kept are the other revisions whose ConfigMaps must
// stay, because their pods may still run. ports are those of the Services; the route
// uses the first.
func Handler(h *v1.GatiHandler, r defaulting.Handler, serving []Serving, front string, kept []Revision, ports []int32) Plan {
	o, plan := handlerOwner(h), Plan{}
	revisions := make([]Revision, 0, len(serving)+len(kept))
	for _, s := range serving {
		if !s.IsLost {
			revisions = append(revisions, s.Revision)
		}
	}
	plan.addConfigs(o, append(revisions, kept...))
	for _, s := range serving {
		w := s.toWorkload(h, r)
		plan.addWorkload(w, r.Spec.Autoscaling, s.IsLost)
		if hasOwnService(s, len(serving)) {
			plan.Objects = append(plan.Objects, w.newService(naming.WorkloadService(h.Name, s.Workload), HandlerPort, ports))
		}
	}
	plan.Objects = append(plan.Objects, o.frontService(front, ports))
	if r.Spec.Route != nil {
		route, unpinned := o.newRoute(&r.Spec, serving, front, ports[0])
		plan.Objects, plan.Unpinned = append(plan.Objects, route), unpinned
	}
	return plan
}

// HandlerAlone returns the plan of a handler whose only live revision is the one of
// its spec.
func HandlerAlone(h *v1.GatiHandler, r defaulting.Handler, running Revision, kept []Revision, live Live) Plan {
	s := Serving{
		Revision: running, Workload: WorkloadFor(r.Spec.Rollout.Strategy, running),
		Replicas: r.Scale.Replicas, MinReplicas: r.Scale.Min, Weight: 100, Live: live,
	}
	return Handler(h, r, []Serving{s}, s.Workload, kept, []int32{*r.Spec.Port})
}

// WorkloadFor returns the workload of a revision under a strategy. RollingUpdate
// has one that is updated in place.
func WorkloadFor(strategy v1.Strategy, r Revision) string {
	if strategy == v1.StrategyRollingUpdate {
		return v1.WorkloadMain
	}
	return naming.Slug(r.Version, r.Number)
}

// hasOwnService reports whether a workload has its own Service. A sole main is
// reached through the front Service.
func hasOwnService(s Serving, live int) bool { return s.Workload != v1.WorkloadMain || live > 1 }

// toWorkload returns the Deployment's settings for a decided state.
func (s Serving) toWorkload(h *v1.GatiHandler, r defaulting.Handler) workload {
	scale := r.Scale
	scale.Replicas, scale.Min = s.Replicas, s.MinReplicas
	switch {
	case !scale.Auto || s.Replicas == 0:
		// An autoscaler cannot scale to zero.
		scale.Auto, scale.Max = false, s.Replicas
	case s.Held:
		scale.Max = s.MinReplicas
	default:
		scale.Max = max(scale.Max, s.MinReplicas)
	}
	return workload{
		owner: handlerOwner(h), name: naming.DeploymentName(h.Name, s.Workload), workload: s.Workload,
		revision: s.Revision, scale: scale, deadline: r.Spec.Rollout.ProgressDeadline, live: s.Live,
		mayIdle: s.MayIdle, paused: s.Paused, restartedAt: s.RestartedAt,
	}
}
