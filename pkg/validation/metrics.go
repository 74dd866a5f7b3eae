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
		validateAmount(p.Child("averageValue"), m.AverageValue),
		validateAmount(p.Child("value"), m.Value),
	)
	if (m.Type == v1.ScalingMetricOfObject) != (m.Object != nil) {
		errs = append(errs, field.Invalid(p.Child("object"), "", "must name the object of a metric of type Object, and of no other type"))
	}
	switch {
	case (m.AverageValue == "") == (m.Value == ""):
		errs = append(errs, field.Invalid(p.Child("averageValue"), m.AverageValue, "must have one target: averageValue for each pod, or value for all"))
	case m.Type == v1.ScalingMetricPods && m.Value != "":
		errs = append(errs, field.Invalid(p.Child("value"), m.Value, "must not be set for the type Pods, whose metric is an average; set averageValue"))
	}
	return errs
}

// validateAmount rejects text that is not a positive quantity; empty is unset.
func validateAmount(p *field.Path, amount v1.ScalingAmount) field.ErrorList {
	if amount == "" {
		return nil
	}
	if q, err := resource.ParseQuantity(string(amount)); err != nil || q.Sign() <= 0 {
		return invalidValue(p, amount, "must be a quantity above zero, such as 100, 500m or 2Gi")
	}
	return nil
}
