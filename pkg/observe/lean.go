package observe

import (
	"strings"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/expand"
)

// LeanPod is the transform of a cache of pods: it keeps the small part of a pod that is
// read. The plugin reads whole pods from the API server.
func LeanPod(object any) (any, error) {
	if pod, ok := object.(*corev1.Pod); ok {
		return leanPod(pod), nil
	}
	return object, nil
}

func leanPod(p *corev1.Pod) *corev1.Pod {
	out := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: p.Namespace, Name: p.Name, UID: p.UID, ResourceVersion: p.ResourceVersion, Labels: leanLabels(p.Labels),
			CreationTimestamp: p.CreationTimestamp, DeletionTimestamp: p.DeletionTimestamp, OwnerReferences: leanOwners(p),
		},
		Status: corev1.PodStatus{
			Phase: p.Status.Phase, PodIP: p.Status.PodIP, Conditions: leanConditions(p.Status.Conditions),
			InitContainerStatuses: leanContainers(p.Status.InitContainerStatuses), ContainerStatuses: leanContainers(p.Status.ContainerStatuses),
		},
	}
	out.Spec.Containers = containersFor(expand.PodPort(&p.Spec))
	out.Spec.InitContainers = leanInitContainers(p.Spec.InitContainers)
	return out
}

// isController is shared by the pods of a cache, as the containers are.
var isController = new(true)

// leanOwners keeps the controller of a pod where it is a ReplicaSet, as of every pod of ours.
func leanOwners(p *corev1.Pod) []metav1.OwnerReference {
	ref := metav1.GetControllerOfNoCopy(p)
	if ref == nil || ref.APIVersion != "apps/v1" || ref.Kind != "ReplicaSet" {
		return nil
	}
	return []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: ref.Name, Controller: isController}}
}

// leanLabels keeps the labels that pods are found by, and that tell their ReplicaSet.
func leanLabels(all map[string]string) map[string]string {
	out := map[string]string{}
	for key, value := range all {
		if strings.HasPrefix(key, "gati.dev/") || key == v1.LabelManagedBy || key == appsv1.DefaultDeploymentUniqueLabelKey {
			out[key] = value
		}
	}
	return out
}

// containersOf has the containers of a lean pod for each port. All pods with a port share
// them: cached objects are never changed, and a container takes as much memory as the rest
// of a pod.
var containersOf sync.Map

func containersFor(port int32) []corev1.Container {
	if port == 0 {
		return nil
	}
	shared, _ := containersOf.LoadOrStore(port, []corev1.Container{{Ports: []corev1.ContainerPort{{Name: expand.HandlerPort, ContainerPort: port}}}})
	return shared.([]corev1.Container)
}

// initContainersOf has the lean init containers of pods by their names. All pods with the same
// share them.
var initContainersOf sync.Map

// leanInitContainers keeps which containers run before and which beside the own one.
func leanInitContainers(all []corev1.Container) []corev1.Container {
	if len(all) == 0 {
		return nil
	}
	var key strings.Builder
	out := make([]corev1.Container, 0, len(all))
	for _, c := range all {
		out = append(out, corev1.Container{Name: c.Name, RestartPolicy: c.RestartPolicy})
		key.WriteString(c.Name + "/" + string(ptr.Deref(c.RestartPolicy, "")) + " ")
	}
	shared, _ := initContainersOf.LoadOrStore(key.String(), out)
	return shared.([]corev1.Container)
}

// leanConditions keeps whether a pod is ready, and why no node accepts it.
func leanConditions(all []corev1.PodCondition) []corev1.PodCondition {
	out := make([]corev1.PodCondition, 0, 1)
	for _, c := range all {
		if c.Type == corev1.PodReady || c.Type == corev1.PodScheduled && c.Status != corev1.ConditionTrue {
			out = append(out, corev1.PodCondition{Type: c.Type, Status: c.Status, Reason: c.Reason, Message: c.Message, LastTransitionTime: c.LastTransitionTime})
		}
	}
	return out
}

// leanContainers keeps how containers run and how they ended. The log of a check is read
// from the API server.
func leanContainers(all []corev1.ContainerStatus) []corev1.ContainerStatus {
	if len(all) == 0 {
		return nil
	}
	out := make([]corev1.ContainerStatus, 0, len(all))
	for _, c := range all {
		out = append(out, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, Ready: c.Ready, RestartCount: c.RestartCount,
			State: leanState(c.State), LastTerminationState: leanState(c.LastTerminationState),
		})
	}
	return out
}

func leanState(s corev1.ContainerState) corev1.ContainerState {
	if t := s.Terminated; t != nil {
		s.Terminated = &corev1.ContainerStateTerminated{ExitCode: t.ExitCode, Reason: t.Reason, FinishedAt: t.FinishedAt}
	}
	return s
}
