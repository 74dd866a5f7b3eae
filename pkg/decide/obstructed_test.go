package decide_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// TestAFaultOfTheClusterIsNotTheVersions holds that a version whose pods a quota, the nodes
// or a registry refuses is rejected only where it is to blame: it asks for another room
// than the stable version, or the registry has answered.
func TestAFaultOfTheClusterIsNotTheVersions(t *testing.T) {
	more := func(s *v1.GatiHandlerSpec) {
		s.Resources = &v1.Resources{Requests: corev1.ResourceList{"memory": resource.MustParse("64Gi")}}
	}
	elsewhere := func(s *v1.GatiHandlerSpec) { s.Pod = &v1.PodSettings{NodeSelector: map[string]string{"disk": "ssd"}} }
	quota := deploymentRefused(`pods "x" is forbidden: exceeded quota: compute`)
	noNode := podOf(func(s *corev1.PodStatus) {
		s.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "0/3 nodes are available"}}
	})
	pull := func(message string) func(*appsv1.Deployment, *[]corev1.Pod) {
		return podOf(func(s *corev1.PodStatus) {
			s.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImagePull", Message: message}}}}
		})
	}
	tests := map[string]struct {
		change   func(*v1.GatiHandlerSpec)
		fault    func(*appsv1.Deployment, *[]corev1.Pod)
		rejected bool
	}{
		"a quota, the same room":          {nil, quota, false},
		"a quota, more room":              {more, quota, true},
		"no node, the same room":          {nil, noNode, false},
		"no node, another one":            {elsewhere, noNode, true},
		"a registry that does not answer": {nil, pull("dial tcp 10.0.0.1:443: i/o timeout"), false},
		"the same, more room":             {more, pull("dial tcp 10.0.0.1:443: i/o timeout"), false},
		"an image that is not there":      {nil, pull("app:v2.0.0: not found"), true},
		"a pause by another manager":      {nil, setByOther("paused", func(d *appsv1.Deployment) { d.Spec.Paused = true }), false},
		"scaled to 0 by another manager":  {nil, setByOther("replicas", func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(0)) }), false},
		"minReadySeconds of another manager": {nil, setByOther("minReadySeconds", func(d *appsv1.Deployment) {
			d.Spec.MinReadySeconds, d.Status.ReadyReplicas = 3600, 1
		}), false},
		"pods that count late, and crash": {nil, func(d *appsv1.Deployment, pods *[]corev1.Pod) {
			setByOther("minReadySeconds", func(d *appsv1.Deployment) { d.Spec.MinReadySeconds = 3600 })(d, pods)
			podOf(func(s *corev1.PodStatus) {
				s.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}}}
			})(d, pods)
		}, true},
		"a foreign finalizer": {nil, func(d *appsv1.Deployment, _ *[]corev1.Pod) {
			d.DeletionTimestamp, d.Finalizers = new(metav1.NewTime(start)), []string{"example.com/hold"}
		}, false},
		"Pod Security, which is of the spec": {nil, deploymentRefused(`pods "x" is forbidden: violates PodSecurity "restricted:latest"`), true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			l := newLife(t, canary())
			l.apply(nil)
			l.apply(func(s *v1.GatiHandlerSpec) {
				s.Image = "app:v2.0.0"
				if tc.change != nil {
					tc.change(s)
				}
			})
			w := l.workloads["v2-0-0"]
			w.Reachable, w.Deployment.Status = nil, appsv1.DeploymentStatus{}
			w.Autoscaler = &autoscalingv2.HorizontalPodAutoscaler{} // Without one, a number of pods is put back.
			tc.fault(w.Deployment, &w.Pods)
			first := l.plan(l.story(nil))
			l.h.Status.Versions, l.h.Status.Rollout = first.Decision.Versions, first.Decision.Rollout
			l.now = l.now.Add(11 * time.Minute)
			d := l.plan(l.story(nil)).Decision
			if rejected := len(d.Rollout.Rejected) > 0; rejected != tc.rejected || d.Stalled == tc.rejected {
				t.Errorf("rejected: %v, want %v; stalled: %v: %s", rejected, tc.rejected, d.Stalled, d.Reason)
			}
		})
	}
}

func deploymentRefused(message string) func(*appsv1.Deployment, *[]corev1.Pod) {
	return func(d *appsv1.Deployment, _ *[]corev1.Pod) {
		d.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Reason: "FailedCreate", Message: message}}
	}
}

func podOf(change func(*corev1.PodStatus)) func(*appsv1.Deployment, *[]corev1.Pod) {
	return func(_ *appsv1.Deployment, pods *[]corev1.Pod) {
		pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "x", CreationTimestamp: metav1.NewTime(start)}}
		change(&pod.Status)
		*pods = append(*pods, pod)
	}
}

// setByOther is a field of a Deployment's spec that another manager has set.
func setByOther(field string, set func(*appsv1.Deployment)) func(*appsv1.Deployment, *[]corev1.Pod) {
	return func(d *appsv1.Deployment, _ *[]corev1.Pod) {
		set(d)
		d.ManagedFields = append(d.ManagedFields, metav1.ManagedFieldsEntry{Manager: "kubectl", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:` + field + `":{}}}`)})
	}
}
