package expand_test

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// beside is a handler with init containers and sidecars, one of which gets its requests.
func beside() *builders.Handler {
	return builders.MakeHandler("beside").UID("u1").Image("app:v1").Replicas(2).Autoscale(2, 8).Pod(v1.PodSettings{
		Volumes: []v1.Volume{{Name: "files", EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		InitContainers: []v1.InitContainer{
			{ContainerProgram: v1.ContainerProgram{Name: "render", Image: "render:v2", Args: []string{"/files"}, VolumeMounts: []v1.VolumeMount{{Name: "files", MountPath: "/files"}}}},
			{ContainerProgram: v1.ContainerProgram{Name: "migrate", Command: []string{"node", "migrate.js"}, Env: []corev1.EnvVar{{Name: "DB", Value: "localhost"}}}, AfterSidecars: ptr(true)},
		},
		Sidecars: []v1.Sidecar{
			{
				ContainerProgram: v1.ContainerProgram{Name: "proxy", Image: "proxy:v3", EnvFrom: []corev1.EnvFromSource{{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "proxy"}}}}},
				Ports:            []v1.ContainerPort{{Name: "http", ContainerPort: 8080}, {Name: "stats", ContainerPort: 9100, Protocol: corev1.ProtocolUDP}},
				StartupProbe:     &v1.ContainerProbe{TCPSocket: &v1.ProbeSocket{Port: 8080}, FailureThreshold: 30},
				ReadinessProbe:   &v1.ContainerProbe{HTTPGet: &v1.ProbeRequest{Port: 8080}, PeriodSeconds: 5},
				LivenessProbe:    &v1.ContainerProbe{Exec: &v1.ProbeCommand{Command: []string{"healthy"}}},
			},
			{
				ContainerProgram: v1.ContainerProgram{
					Name: "tail", Image: "tail:v4", Resources: &v1.Resources{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("32Mi")}},
					VolumeMounts: []v1.VolumeMount{{Name: "files", MountPath: "/tmp", ReadOnly: ptr(true)}},
				},
				ReadinessProbe: &v1.ContainerProbe{GRPC: &v1.ProbeCall{Port: 9000, Service: "logs"}},
			},
		},
	})
}

// everyContainer sets each field of init containers and sidecars.
func everyContainer() v1.PodSettings {
	program := v1.ContainerProgram{
		Name: "first", Image: "first:v1", Command: []string{"run"}, Args: []string{"-v"}, Env: []corev1.EnvVar{{Name: "A", Value: "1"}},
		EnvFrom:      []corev1.EnvFromSource{{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "more"}}}},
		Resources:    &v1.Resources{Requests: quantity("cpu", "50m"), Limits: quantity("cpu", "1")},
		VolumeMounts: []v1.VolumeMount{{Name: "cache", MountPath: "/cache", SubPath: "a", ReadOnly: ptr(true)}},
	}
	probe := func(p v1.ContainerProbe) *v1.ContainerProbe {
		p.InitialDelaySeconds, p.PeriodSeconds, p.TimeoutSeconds, p.SuccessThreshold, p.FailureThreshold = 1, 2, 3, 1, 4
		return &p
	}
	request := probe(v1.ContainerProbe{HTTPGet: &v1.ProbeRequest{Path: "/live", Port: 9000, Scheme: corev1.URISchemeHTTPS}})
	command := probe(v1.ContainerProbe{Exec: &v1.ProbeCommand{Command: []string{"true"}}})
	socket := probe(v1.ContainerProbe{TCPSocket: &v1.ProbeSocket{Port: 9000}})
	call := probe(v1.ContainerProbe{GRPC: &v1.ProbeCall{Port: 9000, Service: "a"}})
	out := v1.PodSettings{
		Volumes:        []v1.Volume{{Name: "cache", EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		InitContainers: []v1.InitContainer{{ContainerProgram: program, AfterSidecars: ptr(true)}},
	}
	for name, probes := range map[string][3]*v1.ContainerProbe{"a": {request, command, socket}, "b": {call, request, command}, "c": {socket, call, request}, "d": {command, socket, call}} {
		program.Name = name
		out.Sidecars = append(out.Sidecars, v1.Sidecar{ContainerProgram: program, StartupProbe: probes[0], ReadinessProbe: probes[1], LivenessProbe: probes[2]})
	}
	slices.SortFunc(out.Sidecars, func(a, b v1.Sidecar) int { return strings.Compare(a.Name, b.Name) })
	out.Sidecars[0].Ports = []v1.ContainerPort{{Name: "stats", ContainerPort: 9000, Protocol: corev1.ProtocolTCP}}
	return out
}
