package handler

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/seen"
)

// Pods of two templates in one workload are measured at the port of their own; the
// gateway's metrics name the port that the route uses.
func TestSubjectPorts(t *testing.T) {
	pod := func(port int32) corev1.Pod {
		return corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Ports: []corev1.ContainerPort{{Name: expand.HandlerPort, ContainerPort: port}}}}}}
	}
	s := &story{}
	s.Handler = builders.MakeHandler("users").Port(8080).Obj()
	s.Resolved.Spec = *s.Handler.Spec.DeepCopy()
	s.Resolved.Spec.HealthCheck = &v1.HealthCheck{}
	s.Workloads = map[string]*seen.Workload{v1.WorkloadMain: {Pods: []corev1.Pod{pod(3000), pod(8080)}}}
	s.Ports = []int32{3000, 8080}
	got := s.subject(rollout.WorkloadPlan{Workload: v1.WorkloadMain})
	if got.Pods[0].Port != 3000 || got.Pods[1].Port != 8080 {
		t.Errorf("pods are measured at %d and %d, want 3000 and 8080", got.Pods[0].Port, got.Pods[1].Port)
	}
	if got.ServicePort != 3000 {
		t.Errorf("the Service is measured at %d, want 3000", got.ServicePort)
	}
}
