package validation

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

// validateAutoscaling rejects bounds and behavior that no autoscaler accepts.
func validateAutoscaling(p *field.Path, a *v1.Autoscaling) field.ErrorList {
	if a == nil {
		return nil
	}
	var errs field.ErrorList
	if a.MinReplicas != nil && a.MaxReplicas != nil && *a.MinReplicas > *a.MaxReplicas {
		errs = append(errs, field.Invalid(p.Child("minReplicas"), *a.MinReplicas, "must not be above maxReplicas; lower minReplicas or raise maxReplicas"))
	}
	errs = append(errs, validateMetrics(p, a)...)
	errs = append(errs, validateKeda(p.Child("keda"), a.Keda)...)
	if a.Behavior != nil {
		errs = append(errs, validateScalingRules(p.Child("behavior", "scaleUp"), a.Behavior.ScaleUp)...)
		errs = append(errs, validateScalingRules(p.Child("behavior", "scaleDown"), a.Behavior.ScaleDown)...)
	}
	return errs
}

// validateScalingRules rejects what autoscaling/v2 rejects. The type is Kubernetes'
// own, whose schema has no bounds for the CRD.
func validateScalingRules(p *field.Path, r *autoscalingv2.HPAScalingRules) field.ErrorList {
	if r == nil {
		return nil
	}
	errs := limitRange(p.Child("stabilizationWindowSeconds"), r.StabilizationWindowSeconds, 0, maxStabilization)
	if r.SelectPolicy != nil {
		errs = append(errs, requireOneOf(p.Child("selectPolicy"), *r.SelectPolicy,
			autoscalingv2.MaxChangePolicySelect, autoscalingv2.MinChangePolicySelect, autoscalingv2.DisabledPolicySelect)...)
	}
	if r.Tolerance != nil && r.Tolerance.Sign() < 0 {
		errs = append(errs, field.Invalid(p.Child("tolerance"), quantityText(*r.Tolerance), "must not be negative"))
	}
	return append(errs, forEach(p.Child("policies"), r.Policies, validateScalingPolicy)...)
}

func validateScalingPolicy(p *field.Path, policy *autoscalingv2.HPAScalingPolicy) field.ErrorList {
	errs := requireOneOf(p.Child("type"), policy.Type, autoscalingv2.PodsScalingPolicy, autoscalingv2.PercentScalingPolicy)
	if policy.Value <= 0 {
		errs = append(errs, field.Invalid(p.Child("value"), policy.Value, "must be at least 1"))
	}
	return append(errs, limitRange(p.Child("periodSeconds"), &policy.PeriodSeconds, 1, maxPolicyPeriod)...)
}

// requireOneOf is allowOneOf for a required value.
func requireOneOf[T ~string](p *field.Path, word T, allowed ...T) field.ErrorList {
	if word == "" {
		return field.ErrorList{field.NotSupported(p, word, allowed)}
	}
	return allowOneOf(p, word, allowed...)
}
