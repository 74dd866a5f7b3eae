package statustest

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// Owner says whose child an object is.
type Owner struct {
	label, name, prefix, workload string
}

// OfHandler is the owner of a handler's workload.
func OfHandler(name, workload string) Owner {
	return Owner{v1.LabelHandler, name, "handler-" + name, workload}
}

// OfModule is the owner of a module's workload.
func OfModule(name string) Owner {
	return Owner{v1.LabelModule, name, "module-" + name, v1.WorkloadMain}
}

func (o Owner) deployment() string {
	if o.workload == v1.WorkloadMain {
		return o.prefix
	}
	return o.prefix + "--" + o.workload
}

func (o Owner) meta(name string) metav1.ObjectMeta {
	m := meta(name)
	m.Labels[o.label] = o.name
	m.Labels[v1.LabelWorkload] = o.workload
	m.Labels[v1.LabelManagedBy] = v1.ManagedBy
	return m
}

// Deployment returns the owner's Deployment.
func Deployment(o Owner, ready, desired int32) appsv1.Deployment {
	return appsv1.Deployment{
		ObjectMeta: o.meta(o.deployment()),
		Spec:       appsv1.DeploymentSpec{Replicas: &desired},
		Status:     appsv1.DeploymentStatus{ReadyReplicas: ready, UpdatedReplicas: desired, Replicas: desired},
	}
}

// CannotCreate adds the condition of a Deployment whose pods are refused.
func CannotCreate(d appsv1.Deployment, reason, message string) appsv1.Deployment {
	d.Status.Conditions = append(d.Status.Conditions, appsv1.DeploymentCondition{
		Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue,
		Reason: reason, Message: message, LastTransitionTime: Ago(3 * time.Minute),
	})
	return d
}

// Autoscaler returns the owner's HorizontalPodAutoscaler.
func Autoscaler(o Owner, low, high, current, desired int32) autoscalingv2.HorizontalPodAutoscaler {
	return autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: o.meta(o.deployment()),
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{Kind: "Deployment", Name: o.deployment()},
			MinReplicas:    &low, MaxReplicas: high,
		},
		Status: autoscalingv2.HorizontalPodAutoscalerStatus{CurrentReplicas: current, DesiredReplicas: desired},
	}
}

// Pod builds a pod.
type Pod struct{ corev1.Pod }

// MakePod starts a pod of the owner that is ready.
func MakePod(o Owner, suffix string) *Pod {
	p := &Pod{}
	p.ObjectMeta = o.meta(o.deployment() + "-" + suffix)
	builders.MakePodOf(o.deployment(), &p.Pod)
	p.CreationTimestamp = Ago(5 * time.Minute)
	p.Status.Phase = corev1.PodRunning
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: "app", Image: "my-app:v1.0.0", Ready: true,
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: Ago(5 * time.Minute)}},
	}}
	return p
}

// Obj returns the pod.
func (p *Pod) Obj() corev1.Pod { return p.Pod }

// Age sets how long ago the pod was created.
func (p *Pod) Age(d time.Duration) *Pod { p.CreationTimestamp = Ago(d); return p }

func (p *Pod) app() *corev1.ContainerStatus { return &p.Status.ContainerStatuses[0] }

// Unready makes the pod not ready while its container runs.
func (p *Pod) Unready() *Pod {
	p.Status.Conditions[0].Status = corev1.ConditionFalse
	p.app().Ready = false
	return p
}

// Waiting makes the container wait for a reason.
func (p *Pod) Waiting(reason, message string) *Pod {
	p.Unready()
	p.Status.Phase = corev1.PodPending
	p.app().State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
	return p
}

// Died sets how the container ended last, and how often it was restarted.
func (p *Pod) Died(reason string, code, restarts int32) *Pod {
	p.app().RestartCount = restarts
	p.app().LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
		Reason: reason, ExitCode: code, FinishedAt: Ago(time.Minute),
	}
	return p
}

// Unschedulable makes the pod one that no node takes.
func (p *Pod) Unschedulable(message string) *Pod {
	p.Unready()
	p.Status.Phase = corev1.PodPending
	p.Status.ContainerStatuses = nil
	p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
		Message: message, LastTransitionTime: Ago(4 * time.Minute),
	})
	return p
}
