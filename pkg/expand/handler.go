package expand

import (
	"cmp"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/rollout"
)

// HandlerPort is the name of a handler's container and Service port.
const HandlerPort = "http"

func handlerOwner(h *v1.GatiHandler) owner {
	return owner{
		kind: kindHandler, label: v1.LabelHandler, meta: &h.ObjectMeta,
		child: naming.HandlerChild(h.Name), component: ComponentHandler,
	}
}

// NewHandlerRevision returns the revision for inputs without one. sequence is the
// position of the version in the order of first admission.
func NewHandlerRevision(h *v1.GatiHandler, r defaulting.Handler, inputs string, sequence int64, earlier []Revision) Revision {
	o := handlerOwner(h)
	config := handlerConfig(h.Name, r.Version, r.Spec.Modules)
	name := configMapName(o.child, config)
	hc := r.Spec.HealthCheck
	p := program{
		owner: o, container: "handler", portName: HandlerPort,
		version: r.Version, image: r.Image, port: *r.Spec.Port,
		env: r.Spec.Env, envFrom: r.Spec.EnvFrom, resources: r.Spec.Resources, pod: r.Spec.Pod,
		probes: newProbes(hc.Type, hc.Path, *r.Spec.Port, hc.Interval, hc.Timeout, *hc.FailureThreshold),
		config: name, mounts: []mount{transformersMount(naming.TransformersName(h.Name))},
	}
	return Revision{
		Name: o.revisionName(inputs), Inputs: inputs,
		Version: r.Version, Sequence: sequence, Number: nextNumber(earlier, r.Version),
		Image: r.Image, Derived: r.Derived, ConfigName: name, Config: config, Template: p.podTemplate(),
	}
}

// HandlerRevisionObject returns the ControllerRevision that stores a revision.
func HandlerRevisionObject(h *v1.GatiHandler, r Revision) (*appsv1.ControllerRevision, error) {
	return r.toObject(handlerOwner(h))
}

// Handler returns the plan of a handler with the given workloads. front is the
// workload that the front Service selects; if empty it selects all, and each one's
// share is that of its pods. kept are the other revisions whose ConfigMaps must
// stay, because their pods may still run. ports are those of the Services; the route
// uses the first.
func Handler(h *v1.GatiHandler, r defaulting.Handler, serving []Workload, front string, kept []Revision, ports []int32) Plan {
	o, plan := handlerOwner(h), Plan{}
	revisions := make([]Revision, 0, len(serving)+len(kept))
	for _, s := range serving {
		if !s.IsLost {
			revisions = append(revisions, s.Revision)
		}
	}
	plan.addConfigs(o, append(revisions, kept...))
	for _, s := range serving {
		s.owner, s.name, s.scale = o, naming.DeploymentName(h.Name, s.Workload), s.scaleWithin(r.Scale)
		s.deadline = r.Spec.Rollout.ProgressDeadline
		plan.addWorkload(s, r.Spec.Autoscaling)
		if hasOwnService(s, len(serving)) {
			plan.Objects = append(plan.Objects, s.newService(naming.WorkloadService(h.Name, s.Workload), HandlerPort, ports))
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
func HandlerAlone(h *v1.GatiHandler, r defaulting.Handler, running Revision, kept []Revision, live *Observed) Plan {
	s := Workload{
		WorkloadPlan: rollout.WorkloadPlan{Workload: WorkloadFor(r.Spec.Rollout.Strategy, running), Replicas: r.Scale.Min, Weight: 100},
		Revision:     running, Initial: r.Scale.Replicas, Observed: live,
	}
	return Handler(h, r, []Workload{s}, s.Workload, kept, []int32{*r.Spec.Port})
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
func hasOwnService(s Workload, live int) bool { return s.Workload != v1.WorkloadMain || live > 1 }

// scaleWithin returns how the workload is scaled, within the bounds of its handler.
func (w Workload) scaleWithin(scale defaulting.Scale) defaulting.Scale {
	scale.Replicas, scale.Min = cmp.Or(w.Initial, w.Replicas), w.Replicas
	switch {
	case !scale.Auto || scale.Replicas == 0:
		// An autoscaler cannot scale to zero.
		scale.Auto, scale.Max = false, scale.Replicas
	case w.Exact:
		scale.Max = scale.Min
	default:
		scale.Max = max(scale.Max, scale.Min)
	}
	return scale
}

// addConfigs adds the ConfigMaps of revisions, each once.
func (p *Plan) addConfigs(o owner, revisions []Revision) {
	seen, yes := map[string]bool{}, true
	for _, r := range revisions {
		if seen[r.ConfigName] {
			continue
		}
		seen[r.ConfigName] = true
		p.Objects = append(p.Objects, &corev1.ConfigMap{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: o.objectMeta(r.ConfigName, nil),
			Immutable:  &yes,
			Data:       r.Config,
		})
	}
}

// addWorkload adds a Deployment with its autoscaler and budget. The autoscaler
// comes first: it must exist before the Deployment gives up its replicas. A ScaledObject
// comes behind: KEDA refuses one without its Deployment. Without a template there is no
// Deployment.
func (p *Plan) addWorkload(w Workload, a *v1.Autoscaling) {
	byKeda := w.scale.Auto && w.scale.Keda != nil
	a = inOneSpelling(a)
	if w.scale.Auto && (!byKeda || w.Observed.hasOwnAutoscaler()) {
		// Ours scales until KEDA takes it over.
		p.Objects = append(p.Objects, w.newAutoscaler(a))
	}
	if !w.IsLost {
		p.Objects = append(p.Objects, w.newDeployment())
	}
	if byKeda {
		p.Objects = append(p.Objects, w.newScaledObject(a))
	}
	if budget := w.newDisruptionBudget(); budget != nil {
		p.Objects = append(p.Objects, budget)
	}
}
