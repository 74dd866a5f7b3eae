package expand

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/naming"
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
func (p *Plan) addWorkload(w workload, a *v1.Autoscaling, isLost bool) {
	byKeda := w.scale.Auto && w.scale.Keda != nil
	if w.scale.Auto && (!byKeda || w.live.HasOwnAutoscaler) {
		// Ours scales until KEDA takes it over.
		p.Objects = append(p.Objects, w.newAutoscaler(a))
	}
	if !isLost {
		p.Objects = append(p.Objects, w.newDeployment())
	}
	if byKeda {
		p.Objects = append(p.Objects, w.newScaledObject(a))
	}
	if budget := w.newDisruptionBudget(); budget != nil {
		p.Objects = append(p.Objects, budget)
	}
}
