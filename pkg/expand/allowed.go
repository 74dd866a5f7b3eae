package expand

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// checkPod returns why no release of Gati resolves to this spec of a pod: it has a field
// outside of the allow-list, or violates the restricted Pod Security Standard.
func (o owner) checkPod(s *corev1.PodSpec) error {
	if len(s.Containers) != 1 {
		return fmt.Errorf("template.spec.containers must have one entry, not %d", len(s.Containers))
	}
	if allowed := o.allowedPod(s); !equality.Semantic.DeepEqual(&allowed, s) {
		return fmt.Errorf("%s is not allowed", firstDifference("template.spec", jsonTree(s), jsonTree(&allowed)))
	}
	return checkSecurity(s)
}

// checkSecurity returns how a pod violates the restricted Pod Security Standard.
func checkSecurity(s *corev1.PodSpec) error {
	pod := s.SecurityContext
	switch {
	case pod == nil || pod.RunAsNonRoot == nil || !*pod.RunAsNonRoot:
		return fmt.Errorf("template.spec.securityContext.runAsNonRoot must be true")
	case isRoot(pod.RunAsUser) || isRoot(pod.RunAsGroup) || isRoot(pod.FSGroup):
		return fmt.Errorf("template.spec.securityContext must not have a root user or group")
	case pod.SeccompProfile == nil || pod.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault:
		return fmt.Errorf("template.spec.securityContext.seccompProfile must be RuntimeDefault")
	}
	return errors.Join(checkContainers("containers", s.Containers), checkContainers("initContainers", s.InitContainers))
}

// checkContainers returns how the first of the containers violates the standard.
func checkContainers(list string, containers []corev1.Container) error {
	for i := range containers {
		if err := checkContainer(containers[i].SecurityContext); err != nil {
			return fmt.Errorf("template.spec.%s[%d].securityContext.%w", list, i, err)
		}
	}
	return nil
}

func checkContainer(c *corev1.SecurityContext) error {
	switch {
	case c == nil || c.AllowPrivilegeEscalation == nil || *c.AllowPrivilegeEscalation:
		return errors.New("allowPrivilegeEscalation must be false")
	case c.Capabilities == nil || !slices.Contains(c.Capabilities.Drop, "ALL"):
		return errors.New("capabilities.drop must have ALL")
	}
	return nil
}

func isRoot(id *int64) bool { return id != nil && *id < 1 }

// allowedPod returns the part of a pod's spec that a release may have resolved. It is an
// allow-list: a field that Kubernetes adds is outside of it.
func (o owner) allowedPod(s *corev1.PodSpec) corev1.PodSpec {
	out := corev1.PodSpec{
		ServiceAccountName:            s.ServiceAccountName,
		AutomountServiceAccountToken:  s.AutomountServiceAccountToken,
		EnableServiceLinks:            s.EnableServiceLinks,
		ImagePullSecrets:              s.ImagePullSecrets,
		TerminationGracePeriodSeconds: s.TerminationGracePeriodSeconds,
		NodeSelector:                  s.NodeSelector,
		Tolerations:                   s.Tolerations,
		Affinity:                      s.Affinity,
		TopologySpreadConstraints:     s.TopologySpreadConstraints,
		PriorityClassName:             s.PriorityClassName,
		SchedulerName:                 s.SchedulerName,
	}
	if o.kind == kindModule {
		out.RuntimeClassName = s.RuntimeClassName
	}
	if c := s.SecurityContext; c != nil {
		out.SecurityContext = &corev1.PodSecurityContext{
			RunAsNonRoot: c.RunAsNonRoot, RunAsUser: c.RunAsUser, RunAsGroup: c.RunAsGroup,
			FSGroup: c.FSGroup, FSGroupChangePolicy: c.FSGroupChangePolicy, SeccompProfile: c.SeccompProfile,
		}
	}
	for i := range s.Containers {
		out.Containers = append(out.Containers, allowedContainer(&s.Containers[i]))
	}
	for i := range s.InitContainers {
		out.InitContainers = append(out.InitContainers, allowedOther(&s.InitContainers[i]))
	}
	for i := range s.Volumes {
		out.Volumes = append(out.Volumes, o.allowedVolume(&s.Volumes[i]))
	}
	return out
}

func allowedContainer(c *corev1.Container) corev1.Container {
	out := corev1.Container{
		Name: c.Name, Image: c.Image, ImagePullPolicy: c.ImagePullPolicy, Command: c.Command, Args: c.Args, EnvFrom: c.EnvFrom,
		Resources:              corev1.ResourceRequirements{Requests: c.Resources.Requests, Limits: c.Resources.Limits},
		TerminationMessagePath: c.TerminationMessagePath, TerminationMessagePolicy: c.TerminationMessagePolicy,
		StartupProbe: allowedProbe(c.StartupProbe), ReadinessProbe: allowedProbe(c.ReadinessProbe), LivenessProbe: allowedProbe(c.LivenessProbe),
	}
	for _, p := range c.Ports {
		out.Ports = append(out.Ports, corev1.ContainerPort{Name: p.Name, ContainerPort: p.ContainerPort, Protocol: p.Protocol})
	}
	for _, e := range c.Env {
		if e.ValueFrom != nil {
			e.ValueFrom = &corev1.EnvVarSource{
				FieldRef: e.ValueFrom.FieldRef, ResourceFieldRef: e.ValueFrom.ResourceFieldRef,
				ConfigMapKeyRef: e.ValueFrom.ConfigMapKeyRef, SecretKeyRef: e.ValueFrom.SecretKeyRef, FileKeyRef: e.ValueFrom.FileKeyRef,
			}
		}
		out.Env = append(out.Env, e)
	}
	for _, m := range c.VolumeMounts {
		out.VolumeMounts = append(out.VolumeMounts, corev1.VolumeMount{Name: m.Name, MountPath: m.MountPath, SubPath: m.SubPath, ReadOnly: m.ReadOnly})
	}
	if s := c.SecurityContext; s != nil {
		out.SecurityContext = &corev1.SecurityContext{
			AllowPrivilegeEscalation: s.AllowPrivilegeEscalation, ReadOnlyRootFilesystem: s.ReadOnlyRootFilesystem,
		}
		if s.Capabilities != nil {
			out.SecurityContext.Capabilities = &corev1.Capabilities{Drop: s.Capabilities.Drop}
		}
	}
	if l := c.Lifecycle; l != nil {
		out.Lifecycle = &corev1.Lifecycle{}
		if l.PreStop != nil {
			out.Lifecycle.PreStop = &corev1.LifecycleHandler{Sleep: l.PreStop.Sleep}
		}
	}
	return out
}

// allowedOther returns what an init container or sidecar may have: a sidecar is restarted, and
// its probes may run a command in it.
func allowedOther(c *corev1.Container) corev1.Container {
	out := allowedContainer(c)
	if !isSidecar(c) {
		return out
	}
	out.RestartPolicy = c.RestartPolicy
	for _, p := range []struct{ have, allowed *corev1.Probe }{
		{c.StartupProbe, out.StartupProbe}, {c.ReadinessProbe, out.ReadinessProbe}, {c.LivenessProbe, out.LivenessProbe},
	} {
		if p.have != nil {
			p.allowed.Exec = p.have.Exec
		}
	}
	return out
}

// allowedProbe leaves out the host of a probe: the node would send the request for the
// pod.
func allowedProbe(p *corev1.Probe) *corev1.Probe {
	if p == nil {
		return nil
	}
	out := &corev1.Probe{
		InitialDelaySeconds: p.InitialDelaySeconds, TimeoutSeconds: p.TimeoutSeconds, PeriodSeconds: p.PeriodSeconds,
		SuccessThreshold: p.SuccessThreshold, FailureThreshold: p.FailureThreshold,
	}
	if h := p.HTTPGet; h != nil {
		out.HTTPGet = &corev1.HTTPGetAction{Path: h.Path, Port: h.Port, Scheme: h.Scheme}
	}
	if t := p.TCPSocket; t != nil {
		out.TCPSocket = &corev1.TCPSocketAction{Port: t.Port}
	}
	out.GRPC = p.GRPC
	return out
}

// allowedVolume leaves our own volumes an empty directory or the transformers, and users'
// volumes the kinds that spec.pod.volumes has.
func (o owner) allowedVolume(v *corev1.Volume) corev1.Volume {
	out := corev1.Volume{Name: v.Name, VolumeSource: corev1.VolumeSource{EmptyDir: v.EmptyDir}}
	if strings.HasPrefix(v.Name, ownVolumes) {
		if v.ConfigMap != nil && v.ConfigMap.Name == o.transformersName() {
			out.ConfigMap = v.ConfigMap
		}
		return out
	}
	out.ConfigMap, out.Secret, out.PersistentVolumeClaim = v.ConfigMap, v.Secret, v.PersistentVolumeClaim
	out.Projected, out.DownwardAPI = v.Projected, v.DownwardAPI
	return out
}

// firstDifference returns the path of the first value that one JSON tree has and another
// has not.
func firstDifference(at string, have, allowed any) string {
	switch h := have.(type) {
	case map[string]any:
		a, _ := allowed.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(h)) {
			if _, ok := a[key]; !ok {
				return at + "." + key
			}
			if !equality.Semantic.DeepEqual(h[key], a[key]) {
				return firstDifference(at+"."+key, h[key], a[key])
			}
		}
	case []any:
		a, _ := allowed.([]any)
		for i := range h {
			if i < len(a) && !equality.Semantic.DeepEqual(h[i], a[i]) {
				return firstDifference(fmt.Sprintf("%s[%d]", at, i), h[i], a[i])
			}
		}
	}
	return at
}

func jsonTree(value any) (out any) {
	text, _ := json.Marshal(value)
	_ = json.Unmarshal(text, &out)
	return out
}
