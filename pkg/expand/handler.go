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
		kind: "GatiHandler", label: v1.LabelHandler, meta: &h.ObjectMeta,
		child: naming.Handler(h.Name), component: "gati-handler",
	}
}

// NewHandlerRevision cuts the revision for inputs that none was cut for yet.
// sequence is the place of the version among those that the handler has
// admitted.
func NewHandlerRevision(h *v1.GatiHandler, r defaulting.Handler, inputs string, sequence int64, earlier []Revision) Revision {
	o := handlerOwner(h)
	config := handlerConfig(h.Name, r.Version, r.Spec.Modules)
	name := configName(o.child, config)
	hc := r.Spec.HealthCheck
	p := program{
		owner: o, container: "handler", portName: HandlerPort,
		version: r.Version, image: r.Image, port: *r.Spec.Port,
		env: r.Spec.Env, envFrom: r.Spec.EnvFrom, resources: r.Spec.Resources, pod: r.Spec.Pod,
		probes: probesOf(hc.Type, hc.Path, *r.Spec.Port, hc.Interval, hc.Timeout, *hc.FailureThreshold),
		config: name, mounts: []mount{transformersMount(naming.Transformers(h.Name))},
	}
	return Revision{
		Name: o.child + "-" + inputs[:10], Inputs: inputs,
		Version: r.Version, Sequence: sequence, Number: nextNumber(earlier, r.Version),
		Image: r.Image, Derived: r.Derived, ConfigName: name, Config: config, Template: p.template(),
	}
}

// HandlerRevisionObject returns the ControllerRevision that holds a revision.
func HandlerRevisionObject(h *v1.GatiHandler, r Revision) (*appsv1.ControllerRevision, error) {
	return r.object(handlerOwner(h))
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
			ObjectMeta: o.object(r.ConfigName, nil),
			Immutable:  &yes,
			Data:       r.Config,
		})
	}
}

// addWorkload adds a Deployment and what scales and protects it. The autoscaler
// comes first: it must be there before the Deployment gives its number up.
func (p *Plan) addWorkload(w workload, a *v1.Autoscaling) {
	if w.scale.Auto {
		p.Objects = append(p.Objects, w.autoscaler(a.Behavior))
	}
	p.Objects = append(p.Objects, w.deployment())
	if budget := w.disruptionBudget(); budget != nil {
		p.Objects = append(p.Objects, budget)
	}
}
