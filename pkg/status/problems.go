package status

import (
	"cmp"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// problems returns what is wrong with the pods of one owner. Equal problems of
// one workload become one with several pods; pods that serve are not named.
func (b *builder) problems(key ownerKey) []Problem {
	var found []Problem
	for _, d := range b.index.deployments[key] {
		if p, ok := cannotCreate(d); ok {
			found = append(found, p)
		}
	}
	for _, pod := range b.index.pods[key] {
		if p, ok := diagnose(pod, b.now); ok {
			p.Workload = pod.Labels[v1.LabelWorkload]
			p.Pods = []string{pod.Name}
			p.Message = oneLine(p.Message)
			found = append(found, p)
		}
	}
	return group(found)
}

// cannotCreate finds the pods that never came to be: quotas and Pod Security
// refuse pods, and only the Deployment tells.
func cannotCreate(d *appsv1.Deployment) (Problem, bool) {
	for _, c := range d.Status.Conditions {
		if c.Type != appsv1.DeploymentReplicaFailure || c.Status != corev1.ConditionTrue {
			continue
		}
		since := c.LastTransitionTime
		return Problem{
			Workload: d.Labels[v1.LabelWorkload],
			Reason:   c.Reason,
			Message:  oneLine(c.Message),
			Blocking: true,
			Since:    &since,
			Next:     "see what refuses the pods: kubectl -n " + d.Namespace + " describe deployment " + d.Name,
		}, true
	}
	return Problem{}, false
}

// group makes one problem of equal ones and puts the worst first: what
// blocks, then what has most pods.
func group(found []Problem) []Problem {
	type kind struct {
		workload, reason, message string
		blocking                  bool
	}
	byKind := map[kind]*Problem{}
	for _, p := range found {
		k := kind{p.Workload, p.Reason, p.Message, p.Blocking}
		if byKind[k] == nil {
			byKind[k] = &p
			continue
		}
		join(byKind[k], p)
	}
	var out []Problem
	for _, p := range byKind {
		out = append(out, *p)
	}
	slices.SortFunc(out, compareProblems)
	return out
}

// join adds the pods of an equal problem. The hint of the first pod by name
// stays, so that the order of the lists does not show.
func join(into *Problem, p Problem) {
	if len(p.Pods) > 0 && len(into.Pods) > 0 && p.Pods[0] < into.Pods[0] {
		into.Next = p.Next
	}
	into.Pods = append(into.Pods, p.Pods...)
	slices.Sort(into.Pods)
	into.Restarts = max(into.Restarts, p.Restarts)
	if into.Since == nil || (p.Since != nil && p.Since.Before(into.Since)) {
		into.Since = p.Since
	}
}

func compareProblems(a, b Problem) int {
	return cmp.Or(
		cmp.Compare(rank(a), rank(b)),
		cmp.Compare(len(b.Pods), len(a.Pods)),
		cmp.Compare(a.Workload, b.Workload),
		cmp.Compare(a.Reason, b.Reason),
		cmp.Compare(a.Message, b.Message),
	)
}

func rank(p Problem) int {
	if p.Blocking {
		return 0
	}
	return 1
}

// sincePtr returns a pointer to a moment, or nil when it is not known.
func sincePtr(t metav1.Time) *metav1.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
