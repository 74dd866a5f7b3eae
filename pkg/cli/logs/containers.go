package logs

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// container is one container of a pod, in the order in which they start.
type container struct {
	status *corev1.ContainerStatus
	isInit bool
}

func containersOf(pod *corev1.Pod) (out []container) {
	for i := range pod.Status.InitContainerStatuses {
		out = append(out, container{&pod.Status.InitContainerStatuses[i], true})
	}
	for i := range pod.Status.ContainerStatuses {
		out = append(out, container{&pod.Status.ContainerStatuses[i], false})
	}
	return out
}

// isShown reports whether the log of a container is wanted.
func (o *options) isShown(c container) bool {
	return o.container == "" || o.container == c.status.Name
}

// readable returns the containers of a pod whose logs are printed: those that were named, else
// all that have one. A pod of one container is always asked; empty lets the server choose where
// nothing is known of them.
func (t *tail) readable(pod *corev1.Pod) (out []string) {
	all := containersOf(pod)
	for _, c := range all {
		if t.isShown(c) && (t.container != "" || len(all) == 1 || t.hasLog(c.status)) {
			out = append(out, c.status.Name)
		}
	}
	if len(all) == 0 {
		return []string{t.container}
	}
	return out
}

// hasLog reports whether a container has run, or with --previous has run before.
func (t *tail) hasLog(c *corev1.ContainerStatus) bool {
	if t.previous {
		return c.LastTerminationState.Terminated != nil
	}
	return c.State.Waiting == nil || c.LastTerminationState.Terminated != nil
}

// checkContainer returns an error where no pod has the named container.
func (o *options) checkContainer(pods []corev1.Pod) error {
	if o.container == "" {
		return nil
	}
	var known []string
	for i := range pods {
		for _, c := range containersOf(&pods[i]) {
			known = append(known, c.status.Name)
		}
	}
	if len(known) == 0 || slices.Contains(known, o.container) {
		return nil
	}
	slices.Sort(known)
	return fmt.Errorf("no container %q; the pods have %s", o.container, strings.Join(slices.Compact(known), ", "))
}
