package handler

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/rollout"
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
	s.Workloads = map[string]*expand.Observed{v1.WorkloadMain: {Pods: []corev1.Pod{pod(3000), pod(8080)}}}
	s.Ports = []int32{3000, 8080}
	got := s.signalSubject(rollout.WorkloadPlan{Workload: v1.WorkloadMain}, time.Minute)
	if got.Pods[0].Port != 3000 || got.Pods[1].Port != 8080 {
		t.Errorf("pods are measured at %d and %d, want 3000 and 8080", got.Pods[0].Port, got.Pods[1].Port)
	}
	if got.ServicePort != 3000 {
		t.Errorf("the Service is measured at %d, want 3000", got.ServicePort)
	}
}

// TestPodsAreProbed holds that few ready pods are asked if they have metrics, while nothing is
// known of it and nothing else is measured.
func TestPodsAreProbed(t *testing.T) {
	pod := func(name string, isReady corev1.ConditionStatus) corev1.Pod {
		p := corev1.Pod{}
		p.Name, p.UID = name, types.UID(name)
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: isReady}}
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}}}}
		return p
	}
	for name, tc := range map[string]struct {
		pods  []corev1.Pod
		plan  rollout.WorkloadPlan
		known string
		want  int
	}{
		"many ready":        {[]corev1.Pod{pod("a", "True"), pod("b", "True"), pod("c", "True")}, rollout.WorkloadPlan{SeekSource: true}, "", 2},
		"one ready":         {[]corev1.Pod{pod("a", "False"), pod("b", "True")}, rollout.WorkloadPlan{SeekSource: true}, "none", 1},
		"none ready":        {[]corev1.Pod{pod("a", "False")}, rollout.WorkloadPlan{SeekSource: true}, "", 0},
		"no gate that asks": {[]corev1.Pod{pod("a", "True")}, rollout.WorkloadPlan{}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := &story{}
			s.Handler = builders.MakeHandler("users").Port(8080).Obj()
			s.Resolved.Spec = *s.Handler.Spec.DeepCopy()
			s.Resolved.Spec.HealthCheck = &v1.HealthCheck{}
			s.Workloads = map[string]*expand.Observed{"v1": {Pods: tc.pods}}
			tc.plan.Workload = "v1"
			s.Decision.Workloads = []rollout.WorkloadPlan{tc.plan}
			s.Decision.Versions = []v1.VersionStatus{{Version: "v1", Workload: "v1", TrafficSource: tc.known}}
			asks := s.neededReadings(rollout.Policy{})
			if len(asks) == 1 != (tc.want > 0) || tc.want > 0 && (len(asks[0].Pods) != tc.want || asks[0].Proven || asks[0].Every != probeEvery) {
				t.Errorf("%+v, want %d pods to be asked", asks, tc.want)
			}
		})
	}
}
