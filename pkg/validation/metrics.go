package validation

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

// validateMetrics rejects custom and external metrics that no autoscaler accepts.
func validateMetrics(p *field.Path, a *v1.Autoscaling) field.ErrorList {
	if a.Metrics == nil {
		return nil
	}
	at := p.Child("metrics")
	var errs field.ErrorList
	if a.Keda != nil {
		errs = append(errs, field.Invalid(at, "", "must not be set beside keda; name the metric as a trigger in keda.triggers, or remove keda"))
	}
	return append(errs, forEach(at, a.Metrics, validateScalingMetric)...)
}

func validateScalingMetric(p *field.Path, m *v1.ScalingMetric) field.ErrorList {
	errs := joinErrors(
		removePatterns(metav1validation.ValidateLabels(m.MatchLabels, p.Child("matchLabels"))),
		validateTarget(p.Child("averageValue"), m.AverageValue),
		validateTarget(p.Child("value"), m.Value),
	)
	if (m.Type == v1.ScalingMetricOfObject) != (m.Object != nil) {
		errs = append(errs, field.Invalid(p.Child("object"), "", "must name the object of a metric of type Object, and of no other type"))
	}
	switch {
	case (m.AverageValue == nil) == (m.Value == nil):
		errs = append(errs, field.Invalid(p.Child("averageValue"), "", "must have one target: averageValue for each pod, or value for all"))
	case m.Type == v1.ScalingMetricPods && m.Value != nil:
		errs = append(errs, field.Invalid(p.Child("value"), quantityText(*m.Value), "must not be set for the type Pods, whose metric is an average; set averageValue"))
	}
	return errs
}

// validateTarget rejects a target that no pods can reach.
func validateTarget(p *field.Path, target *resource.Quantity) field.ErrorList {
	if target == nil || target.Sign() > 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(p, quantityText(*target), "must be a quantity above zero, such as 100, 500m or 2Gi")}
}
