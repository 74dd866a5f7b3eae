package report

import (
	"cmp"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/target"
)

// Children returns what status shows of the planned objects, in an order that does not
// depend on that of the writes.
func Children(children []target.Child) []v1.ChildStatus {
	var out []v1.ChildStatus
	for _, c := range children {
		entry := v1.ChildStatus{Kind: c.Kind, Name: c.Name}
		if c.Problem != nil {
			entry.Message = c.Problem.Error()
		}
		out = append(out, entry)
	}
	slices.SortStableFunc(out, func(a, b v1.ChildStatus) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// HasProblem reports whether a planned object is not as planned.
func HasProblem(children []target.Child) bool {
	return slices.ContainsFunc(children, func(c target.Child) bool { return c.Problem != nil })
}

// Resolved returns what status shows of the derived values: those of the pods as
// the revision froze them, which a newer gati-webhook may derive otherwise.
func Resolved(scale defaulting.Scale, running expand.Revision) *v1.ResolvedStatus {
	out := &v1.ResolvedStatus{Derived: scale.AppendNote(running.Derived)}
	if scale.Auto {
		out.MinReplicas, out.MaxReplicas = &scale.Min, &scale.Max
	}
	for _, c := range running.Template.Spec.Containers {
		out.Resources = formatQuantities(c.Resources.Requests) + " to " + formatQuantities(c.Resources.Limits)
	}
	return out
}

func formatQuantities(list corev1.ResourceList) string {
	var parts []string
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if q, ok := list[name]; ok {
			parts = append(parts, q.String())
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, "/")
}

// Selector is a workload's selector in the form that the scale subresource needs.
func Selector(d *appsv1.Deployment) string {
	if d == nil || d.Spec.Selector == nil {
		return ""
	}
	return labels.FormatLabels(d.Spec.Selector.MatchLabels)
}

// IsRolling reports whether a Deployment is replacing pods, or has not had all of them
// available since it last did.
func IsRolling(d *appsv1.Deployment) bool {
	if d == nil || d.Status.ObservedGeneration < d.Generation {
		return true
	}
	for _, c := range d.Status.Conditions {
		if c.Type == appsv1.DeploymentProgressing {
			return c.Reason != newReplicaSetAvailable
		}
	}
	return true
}

// newReplicaSetAvailable is the reason of a Deployment whose last change is complete.
const newReplicaSetAvailable = "NewReplicaSetAvailable"

// Replicas returns how many pods exist and how many are ready.
func Replicas(d *appsv1.Deployment) (all, ready int32) {
	if d == nil {
		return 0, 0
	}
	return d.Status.Replicas, d.Status.ReadyReplicas
}

// Stamp returns the time of the last change: now where something visible has changed, else
// the previous time.
func Stamp(before *metav1.Time, changed bool, now metav1.Time) *metav1.Time {
	if before == nil || changed {
		return &now
	}
	return before
}
