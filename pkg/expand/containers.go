package expand

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/defaulting"
)

// tmpVolume begins the name of the volume that is the /tmp of a container beside ours.
const tmpVolume = ownVolumes + "tmp-"

// otherContainers returns the init containers and the sidecars in the order in which they
// start: the sidecars behind the init containers that do not need them. The second result
// are the volumes of their own.
func (p program) otherContainers() (out []corev1.Container, volumes []corev1.Volume) {
	add := func(c corev1.Container, own []mount) {
		out, volumes = append(out, c), append(volumes, newVolumes(own)...)
	}
	for _, after := range []bool{false, true} {
		for i := range p.pod.InitContainers {
			if c := &p.pod.InitContainers[i]; (c.AfterSidecars != nil && *c.AfterSidecars) == after {
				add(p.otherContainer(&c.ContainerProgram))
			}
		}
		for i := range p.pod.Sidecars {
			if !after {
				add(p.sidecar(&p.pod.Sidecars[i]))
			}
		}
	}
	return out, volumes
}

// otherContainer returns what an init container and a sidecar have in common, and its own
// /tmp unless the user mounts a volume there.
func (p program) otherContainer(c *v1.ContainerProgram) (corev1.Container, []mount) {
	tmp := withoutUserPaths([]mount{{name: tmpVolume + c.Name, path: "/tmp", source: emptyDirSource()}}, c.VolumeMounts)
	resources := defaulting.Resources(c.Resources)
	return corev1.Container{
		Name:            c.Name,
		Image:           firstNonEmpty(c.Image, p.image),
		ImagePullPolicy: p.pod.ImagePullPolicy,
		Command:         c.Command,
		Args:            c.Args,
		EnvFrom:         c.EnvFrom,
		Env:             c.Env,
		Resources:       corev1.ResourceRequirements{Requests: resources.Requests, Limits: resources.Limits},
		VolumeMounts:    append(newVolumeMounts(tmp), userMounts(c.VolumeMounts)...),
		SecurityContext: containerSecurity(p.pod),
	}, tmp
}

// sidecar returns a container that Kubernetes starts before the ones behind it, restarts
// whenever it ends, and stops after the handler's own.
func (p program) sidecar(s *v1.Sidecar) (corev1.Container, []mount) {
	out, own := p.otherContainer(&s.ContainerProgram)
	always := corev1.ContainerRestartPolicyAlways
	out.RestartPolicy = &always
	for _, port := range s.Ports {
		out.Ports = append(out.Ports, corev1.ContainerPort{
			Name: port.Name, ContainerPort: port.ContainerPort,
			Protocol: corev1.Protocol(firstNonEmpty(string(port.Protocol), string(corev1.ProtocolTCP))),
		})
	}
	out.StartupProbe, out.ReadinessProbe, out.LivenessProbe = newSidecarProbe(s.StartupProbe), newSidecarProbe(s.ReadinessProbe), newSidecarProbe(s.LivenessProbe)
	return out, own
}

// newSidecarProbe returns a probe with each default of the API server.
func newSidecarProbe(p *v1.ContainerProbe) *corev1.Probe {
	if p == nil {
		return nil
	}
	or := func(n, otherwise int32) int32 {
		if n == 0 {
			return otherwise
		}
		return n
	}
	return &corev1.Probe{
		ProbeHandler:        newSidecarProbeHandler(p),
		InitialDelaySeconds: p.InitialDelaySeconds, PeriodSeconds: or(p.PeriodSeconds, 10), TimeoutSeconds: or(p.TimeoutSeconds, 1),
		SuccessThreshold: or(p.SuccessThreshold, 1), FailureThreshold: or(p.FailureThreshold, 3),
	}
}

func newSidecarProbeHandler(p *v1.ContainerProbe) (out corev1.ProbeHandler) {
	if e := p.Exec; e != nil {
		out.Exec = &corev1.ExecAction{Command: e.Command}
	}
	if h := p.HTTPGet; h != nil {
		out.HTTPGet = &corev1.HTTPGetAction{
			Path: firstNonEmpty(h.Path, "/"), Port: intstr.FromInt32(h.Port),
			Scheme: corev1.URIScheme(firstNonEmpty(string(h.Scheme), string(corev1.URISchemeHTTP))),
		}
	}
	if t := p.TCPSocket; t != nil {
		out.TCPSocket = &corev1.TCPSocketAction{Port: intstr.FromInt32(t.Port)}
	}
	if g := p.GRPC; g != nil {
		out.GRPC = &corev1.GRPCAction{Port: g.Port, Service: &g.Service}
	}
	return out
}

// ownPortName returns the name of the port of the handler's or module's own container.
// Services lead to the pod's port of their name, which a sidecar may have in its place.
func (p program) ownPortName() string {
	isProxied := slices.ContainsFunc(p.pod.Sidecars, func(s v1.Sidecar) bool {
		return slices.ContainsFunc(s.Ports, func(port v1.ContainerPort) bool { return port.Name == p.portName })
	})
	if isProxied {
		return proxiedPort
	}
	return p.portName
}

// proxiedPort is the name of the port behind a sidecar that gets the requests.
const proxiedPort = "behind-proxy"

// scaledContainer returns the name of the handler's or module's own container where sidecars run
// beside it; empty where it is alone.
func (r Revision) scaledContainer() string {
	spec := &r.Template.Spec
	if len(spec.Containers) == 0 || !slices.ContainsFunc(spec.InitContainers, func(c corev1.Container) bool { return isSidecar(&c) }) {
		return ""
	}
	return spec.Containers[0].Name
}
