package adopt

import (
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "gati.dev/gati/api/v1"
)

// translateAutoscaler takes over the HorizontalPodAutoscaler that scales the workload.
func (t *translation) translateAutoscaler() {
	for _, u := range t.source.Others {
		target, _ := decodeAs[struct {
			Spec struct {
				ScaleTargetRef struct{ Kind, Name string }
			}
		}](u.Object)
		ref := target.Spec.ScaleTargetRef
		if u.GetKind() == "HorizontalPodAutoscaler" && ref.Kind == t.source.Workload.GetKind() && ref.Name == t.source.Workload.GetName() {
			t.translateScaling(t.open(u).root().enter("spec"))
		}
	}
}

func (t *translation) translateScaling(spec tree) {
	enabled := true
	a := &v1.Autoscaling{Enabled: &enabled}
	t.handler.Spec.Autoscaling = a
	spec.enter("scaleTargetRef").dropAll("apiVersion", "kind", "name")
	if least := peek[*int32](spec, "minReplicas"); least == nil {
		one := int32(1)
		a.MinReplicas = &one
	} else if *least > 0 {
		a.MinReplicas = take[*int32](spec, "minReplicas")
	}
	a.MaxReplicas = take[*int32](spec, "maxReplicas")
	a.TargetCPU = take[*int32](spec, "targetCPUUtilizationPercentage") // autoscaling/v1
	a.Behavior = take[*autoscalingv2.HorizontalPodAutoscalerBehavior](spec, "behavior")
	for _, m := range spec.list("metrics") {
		t.translateMetric(m, a)
	}
}

func (t *translation) translateMetric(item tree, a *v1.Autoscaling) {
	m, _ := decodeAs[autoscalingv2.MetricSpec](item.content)
	switch {
	case m.Resource != nil && takeUtilization(m.Resource.Name, m.Resource.Target, a),
		m.ContainerResource != nil && takeUtilization(m.ContainerResource.Name, m.ContainerResource.Target, a):
	default:
		metric, isKnown := newMetric(m)
		if !isKnown {
			return
		}
		a.Metrics = append(a.Metrics, metric)
	}
	item.claim().drop("type", m.Type)
	for _, name := range []string{"resource", "containerResource", "pods", "object", "external"} {
		item.drop(name, encode(m).(map[string]any)[name])
	}
}

// takeUtilization sets a target in percent of the request.
func takeUtilization(name corev1.ResourceName, target autoscalingv2.MetricTarget, a *v1.Autoscaling) bool {
	switch {
	case target.AverageUtilization == nil:
		return false
	case name == corev1.ResourceCPU && a.TargetCPU == nil:
		a.TargetCPU = target.AverageUtilization
	case name == corev1.ResourceMemory && a.TargetMemory == nil:
		a.TargetMemory = target.AverageUtilization
	default:
		return false
	}
	return true
}

func newMetric(m autoscalingv2.MetricSpec) (v1.ScalingMetric, bool) {
	var id autoscalingv2.MetricIdentifier
	var target autoscalingv2.MetricTarget
	out := v1.ScalingMetric{}
	switch {
	case m.Pods != nil:
		out.Type, id, target = v1.ScalingMetricPods, m.Pods.Metric, m.Pods.Target
	case m.External != nil:
		out.Type, id, target = v1.ScalingMetricExternal, m.External.Metric, m.External.Target
	case m.Object != nil:
		out.Type, id, target = v1.ScalingMetricOfObject, m.Object.Metric, m.Object.Target
		ref := m.Object.DescribedObject
		out.Object = &v1.ScalingMetricObject{APIVersion: ref.APIVersion, Kind: ref.Kind, Name: ref.Name}
	default:
		return out, false
	}
	out.Name = id.Name
	if id.Selector != nil {
		if len(id.Selector.MatchExpressions) > 0 {
			return out, false
		}
		out.MatchLabels = id.Selector.MatchLabels
	}
	out.AverageValue, out.Value = target.AverageValue, target.Value
	return out, slices.ContainsFunc([]*resource.Quantity{out.AverageValue, out.Value}, func(q *resource.Quantity) bool { return q != nil })
}

// translateBudget compares the disruption budget with the one that a handler has.
func (t *translation) translateBudget() {
	for _, u := range t.source.Others {
		if u.GetKind() != "PodDisruptionBudget" || !isSelectedBy(u, t.labels) {
			continue
		}
		spec := t.open(u).root().enter("spec")
		spec.enter("selector").dropAll("matchLabels")
		spec.dropEqual("maxUnavailable", 1)
		spec.dropEqual("unhealthyPodEvictionPolicy", "AlwaysAllow")
	}
}
