package expand

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// preStopSeconds is how long a terminating pod continues to serve, while gateways
// and proxies remove its endpoint.
const preStopSeconds = 5

// program is the container of a handler or module.
type program struct {
	owner     owner
	container string
	portName  string
	version   string
	image     string
	port      int32
	env       []corev1.EnvVar
	envFrom   []corev1.EnvFromSource
	resources *v1.Resources
	probes    probes
	pod       *v1.PodSettings
	config    string
	mounts    []mount
	runtime   string
}

// podTemplate returns the pod template without the label of its workload.
func (p program) podTemplate() corev1.PodTemplateSpec {
	mounts := withoutUserPaths(append(standardMounts(), p.mounts...), p.pod.VolumeMounts)
	others, volumes := p.otherContainers()
	spec := corev1.PodSpec{
		InitContainers:                others,
		Containers:                    []corev1.Container{p.mainContainer(mounts)},
		Volumes:                       slices.Concat(newVolumes(mounts), volumes, userVolumes(p.pod.Volumes)),
		SecurityContext:               podSecurity(p.pod),
		ServiceAccountName:            p.pod.ServiceAccountName,
		AutomountServiceAccountToken:  p.pod.AutomountServiceAccountToken,
		EnableServiceLinks:            new(bool),
		ImagePullSecrets:              p.pod.ImagePullSecrets,
		TerminationGracePeriodSeconds: p.pod.TerminationGracePeriodSeconds,
		NodeSelector:                  p.pod.NodeSelector,
		Tolerations:                   p.pod.Tolerations,
		Affinity:                      p.pod.Affinity,
		TopologySpreadConstraints:     p.spreadConstraints(),
		PriorityClassName:             p.pod.PriorityClassName,
		SchedulerName:                 p.pod.SchedulerName,
	}
	if p.runtime != "" {
		spec.RuntimeClassName = &p.runtime
	}
	return corev1.PodTemplateSpec{ObjectMeta: p.podMeta(), Spec: spec}
}

func (p program) podMeta() metav1.ObjectMeta {
	own := p.owner.objectMeta("", nil).Labels
	labels := map[string]string{}
	maps.Copy(labels, p.pod.Labels)
	maps.Copy(labels, own)
	meta := metav1.ObjectMeta{Labels: labels, Annotations: maps.Clone(p.pod.Annotations)}
	if p.version != "" {
		labels[v1.LabelVersion] = versionLabelValue(p.version)
		if meta.Annotations == nil {
			meta.Annotations = map[string]string{}
		}
		meta.Annotations[v1.AnnotationVersion] = p.version
	}
	return meta
}

func (p program) mainContainer(mounts []mount) corev1.Container {
	return corev1.Container{
		Name:            p.container,
		Image:           p.image,
		ImagePullPolicy: p.pod.ImagePullPolicy,
		Command:         p.pod.Command,
		Args:            p.pod.Args,
		Ports:           []corev1.ContainerPort{{Name: p.ownPortName(), ContainerPort: p.port, Protocol: corev1.ProtocolTCP}},
		EnvFrom:         p.envFromSources(),
		Env:             p.envVars(),
		Resources:       corev1.ResourceRequirements{Requests: p.resources.Requests, Limits: p.resources.Limits},
		VolumeMounts:    append(newVolumeMounts(mounts), userMounts(p.pod.VolumeMounts)...),
		StartupProbe:    p.probes.startup,
		ReadinessProbe:  p.probes.readiness,
		LivenessProbe:   p.probes.liveness,
		SecurityContext: containerSecurity(p.pod),
		Lifecycle: &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{
			Sleep: &corev1.SleepAction{Seconds: preStopSeconds},
		}},
	}
}

// spreadConstraints spread the pods over zones and nodes where possible, unless the
// user sets other constraints. An empty list counts as unset, as everywhere in the
// spec.
func (p program) spreadConstraints() []corev1.TopologySpreadConstraint {
	if len(p.pod.TopologySpreadConstraints) > 0 {
		return slices.Clone(p.pod.TopologySpreadConstraints)
	}
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{p.owner.label: p.owner.meta.Name}}
	var out []corev1.TopologySpreadConstraint
	for _, key := range []string{corev1.LabelTopologyZone, corev1.LabelHostname} {
		out = append(out, corev1.TopologySpreadConstraint{
			MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: selector,
		})
	}
	return out
}

// labelWorkload returns a template with the label of its workload, which is not
// known when the template is frozen.
func labelWorkload(t corev1.PodTemplateSpec, workload string) corev1.PodTemplateSpec {
	out := *t.DeepCopy()
	metav1.SetMetaDataLabel(&out.ObjectMeta, v1.LabelWorkload, workload)
	return out
}

// podSecurity returns the pod's part of the restricted Pod Security Standard.
func podSecurity(pod *v1.PodSettings) *corev1.PodSecurityContext {
	nonRoot, change := true, corev1.FSGroupChangeOnRootMismatch
	return &corev1.PodSecurityContext{
		RunAsNonRoot:        &nonRoot,
		RunAsUser:           pod.RunAsUser,
		RunAsGroup:          pod.RunAsGroup,
		FSGroup:             pod.FSGroup,
		FSGroupChangePolicy: &change,
		SeccompProfile:      &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
}

// containerSecurity returns the container's part. All Linux capabilities are
// dropped: they have nothing in common with Gati's.
func containerSecurity(pod *v1.PodSettings) *corev1.SecurityContext {
	no := false
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: &no,
		ReadOnlyRootFilesystem:   pod.ReadOnlyRootFilesystem,
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
}
