package validation

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

// autoscaling refuses bounds and behavior that no autoscaler takes.
func autoscaling(p *field.Path, a *v1.Autoscaling) field.ErrorList {
	if a == nil {
		return nil
	}
	errs := join(
		between(p.Child("minReplicas"), a.MinReplicas, 1, maxReplicas),
		between(p.Child("maxReplicas"), a.MaxReplicas, 1, maxScaledReplicas),
		between(p.Child("warmReplicas"), a.WarmReplicas, 0, maxReplicas),
		between(p.Child("targetCPU"), a.TargetCPU, 1, maxTarget),
		between(p.Child("targetMemory"), a.TargetMemory, 1, maxTarget),
	)
	if a.MinReplicas != nil && a.MaxReplicas != nil && *a.MinReplicas > *a.MaxReplicas {
		errs = append(errs, field.Invalid(p.Child("minReplicas"), *a.MinReplicas, "must not be above maxReplicas; lower minReplicas or raise maxReplicas"))
	}
	if a.Behavior != nil {
		errs = append(errs, scalingRules(p.Child("behavior", "scaleUp"), a.Behavior.ScaleUp)...)
		errs = append(errs, scalingRules(p.Child("behavior", "scaleDown"), a.Behavior.ScaleDown)...)
	}
	return errs
}

// scalingRules refuses rules that autoscaling/v2 refuses. The type is
// Kubernetes' own, whose schema has no bounds that the CRD could inherit.
func scalingRules(p *field.Path, r *autoscalingv2.HPAScalingRules) field.ErrorList {
	if r == nil {
		return nil
	}
	errs := between(p.Child("stabilizationWindowSeconds"), r.StabilizationWindowSeconds, 0, maxStabilization)
	if r.SelectPolicy != nil {
		errs = append(errs, oneOfSet(p.Child("selectPolicy"), *r.SelectPolicy,
			autoscalingv2.MaxChangePolicySelect, autoscalingv2.MinChangePolicySelect, autoscalingv2.DisabledPolicySelect)...)
	}
	if r.Tolerance != nil && r.Tolerance.Sign() < 0 {
		errs = append(errs, field.Invalid(p.Child("tolerance"), text(*r.Tolerance), "must not be negative"))
	}
	return append(errs, each(p.Child("policies"), r.Policies, scalingPolicy)...)
}

func scalingPolicy(p *field.Path, policy *autoscalingv2.HPAScalingPolicy) field.ErrorList {
	errs := oneOfSet(p.Child("type"), policy.Type, autoscalingv2.PodsScalingPolicy, autoscalingv2.PercentScalingPolicy)
	if policy.Value <= 0 {
		errs = append(errs, field.Invalid(p.Child("value"), policy.Value, "must be at least 1"))
	}
	return append(errs, between(p.Child("periodSeconds"), &policy.PeriodSeconds, 1, maxPolicyPeriod)...)
}

// oneOfSet is oneOf for a word that has to be there.
func oneOfSet[T ~string](p *field.Path, word T, allowed ...T) field.ErrorList {
	if word == "" {
		return field.ErrorList{field.NotSupported(p, word, allowed)}
	}
	return oneOf(p, word, allowed...)
}
