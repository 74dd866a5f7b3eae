package expand

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/rollout"
)

// ModulePort is the name of a module's container and Service port.
const ModulePort = "module"

func moduleOwner(m *v1.GatiModule) owner {
	return owner{
		kind: kindModule, label: v1.LabelModule, meta: &m.ObjectMeta,
		child: naming.ModuleChild(m.Name), component: ComponentModule,
	}
}

// NewModuleRevision returns the revision for inputs without one.
func NewModuleRevision(m *v1.GatiModule, r defaulting.Module, inputs string, earlier []Revision) Revision {
	o := moduleOwner(m)
	config := moduleConfig(&r.Spec)
	name := configMapName(o.child, config)
	hc := r.Spec.HealthCheck
	p := program{
		owner: o, container: "module", portName: ModulePort,
		image: r.Image, port: *r.Spec.Port, runtime: r.RuntimeClass,
		env: r.Spec.Env, resources: r.Spec.Resources, pod: withServiceAccountToken(r.Spec.Pod, r.Spec.Capabilities),
		probes: newProbes(hc.Type, hc.Path, *r.Spec.Port, hc.Interval, hc.Timeout, *hc.FailureThreshold),
		config: name, mounts: capabilityMounts(r.Spec.Capabilities),
	}
	return Revision{
		Name: o.revisionName(inputs), Inputs: inputs, Number: nextNumber(earlier, ""),
		Image: r.Image, Derived: r.Derived, ConfigName: name, Config: config, Template: p.podTemplate(),
	}
}

// ModuleRevisionObject returns the ControllerRevision that stores a revision.
func ModuleRevisionObject(m *v1.GatiModule, r Revision) (*appsv1.ControllerRevision, error) {
	return r.toObject(moduleOwner(m))
}

// Module returns the plan of a module that runs the given revision. kept are the
// other revisions whose ConfigMaps must stay, ports those of the Service.
func Module(m *v1.GatiModule, r defaulting.Module, running Revision, kept []Revision, ports []int32, live *Observed) Plan {
	w := Workload{
		WorkloadPlan: rollout.WorkloadPlan{Workload: v1.WorkloadMain}, Revision: running, Observed: live,
		owner: moduleOwner(m), name: naming.ModuleChild(m.Name), scale: r.Scale,
	}
	if r.Spec.Rollout != nil {
		w.deadline = r.Spec.Rollout.ProgressDeadline
	}
	var plan Plan
	plan.addConfigs(w.owner, append([]Revision{running}, kept...))
	plan.Objects = append(plan.Objects, w.newNetworkPolicy(ModulePort, r.Spec.Capabilities))
	plan.addWorkload(w, r.Spec.Autoscaling)
	plan.Objects = append(plan.Objects, w.newService(w.name, ModulePort, withToldPort(ports)))
	return plan
}

// withToldPort returns the ports of a module's Service with the one that handlers find in
// GATI_MODULE_<NAME>__PORT. It leads to the module whatever spec.port is, so a change of
// that changes no handler's pods.
func withToldPort(ports []int32) []int32 {
	if slices.Contains(ports, v1.DefaultModulePort) {
		return ports
	}
	return append(slices.Clone(ports), v1.DefaultModulePort)
}

// withServiceAccountToken mounts the token of the user's ServiceAccount if the
// module may read secrets. It grants no right: those of the account are granted by
// others.
func withServiceAccountToken(pod *v1.PodSettings, capabilities []v1.Capability) *v1.PodSettings {
	if pod.ServiceAccountName == "" || !slices.Contains(capabilities, v1.CapabilitySecretsRead) {
		return pod
	}
	out, yes := pod.DeepCopy(), true
	out.AutomountServiceAccountToken = &yes
	return out
}

// capabilityMounts returns the directories that the capabilities grant.
func capabilityMounts(capabilities []v1.Capability) []mount {
	if slices.Contains(capabilities, v1.CapabilityStorage) || slices.Contains(capabilities, v1.CapabilityFilesystemWrite) {
		return []mount{dataMount()}
	}
	return nil
}
