package status

import (
	"cmp"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
	"gati.dev/gati/pkg/printable"
)

// addWorkloads fills in the Deployments, the problems of their pods, and the number of
// ready ones. The controller's own count replaces unreadable Deployments.
func (b *builder) addWorkloads(item *Item, key ownerKey, reported string) {
	for _, d := range b.index.deployments[key] {
		if d.DeletionTimestamp != nil {
			continue
		}
		w := b.viewWorkload(d)
		item.Workloads = append(item.Workloads, w)
		item.Ready += w.Ready
		item.Desired += w.Desired
	}
	slices.SortFunc(item.Workloads, func(a, b Workload) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Deployment, b.Deployment))
	})
	item.Problems = b.podProblems(key)
	if !b.objs.wasRead(ResourceDeployments) {
		item.Ready, item.Desired = v1.ParseReady(reported)
	}
}

func (b *builder) viewWorkload(d *appsv1.Deployment) Workload {
	w := Workload{
		Name:       d.Labels[v1.LabelWorkload],
		Deployment: d.Name,
		Ready:      d.Status.ReadyReplicas,
		Desired:    1,
		Updated:    d.Status.UpdatedReplicas,
	}
	if d.Spec.Replicas != nil {
		w.Desired = *d.Spec.Replicas
	}
	if a := b.index.autoscalers[targetKey{d.Namespace, d.Name}]; a != nil {
		w.Autoscaler = viewAutoscaler(a)
	}
	return w
}

func viewAutoscaler(a *autoscalingv2.HorizontalPodAutoscaler) *Autoscaler {
	out := &Autoscaler{
		Name:    a.Name,
		Min:     1,
		Max:     a.Spec.MaxReplicas,
		Current: a.Status.CurrentReplicas,
		Desired: a.Status.DesiredReplicas,
		Keda:    kedav1alpha1.IsTaken(a),
		Limit:   limitOf(a),
	}
	if a.Spec.MinReplicas != nil {
		out.Min = *a.Spec.MinReplicas
	}
	for _, c := range a.Status.Conditions {
		active := c.Type == autoscalingv2.ScalingActive || c.Type == autoscalingv2.AbleToScale
		if active && c.Status == corev1.ConditionFalse {
			out.Message = fmt.Sprintf("%s: %s", c.Reason, printable.OneLine(c.Message))
		}
	}
	return out
}

// autoscalerLimits are the bounds by the reasons of the condition ScalingLimited.
var autoscalerLimits = map[string]AutoscalerLimit{
	"TooFewReplicas": LimitMinimum, "TooManyReplicas": LimitMaximum,
	"ScaleUpLimit": LimitRate, "ScaleDownLimit": LimitRate,
}

// limitOf returns the bound that an autoscaler is at.
func limitOf(a *autoscalingv2.HorizontalPodAutoscaler) AutoscalerLimit {
	for _, c := range a.Status.Conditions {
		if c.Type == autoscalingv2.ScalingLimited && c.Status == corev1.ConditionTrue {
			return autoscalerLimits[c.Reason]
		}
	}
	return ""
}
