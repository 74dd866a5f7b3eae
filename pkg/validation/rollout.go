package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

// validateRollout rejects steps and times that no rollout can use.
func validateRollout(p *field.Path, r *v1.Rollout) field.ErrorList {
	if r == nil {
		return nil
	}
	return joinErrors(
		validateDuration(p.Child("progressDeadline"), r.ProgressDeadline),
		validateDuration(p.Child("rollbackWindow"), r.RollbackWindow),
		validateSteps(p.Child("steps"), r.Steps),
		validateAnalysis(p.Child("analysis"), r.Analysis),
	)
}

// validateManualScaling rejects shares that cannot be kept: without a gateway a
// version's share is that of its pods, which an autoscaler changes.
func validateManualScaling(p *field.Path, s *v1.GatiHandlerSpec) field.ErrorList {
	scaled := s.Autoscaling != nil && s.Autoscaling.Enabled != nil && *s.Autoscaling.Enabled
	if s.Rollout == nil || s.Rollout.Strategy != v1.StrategyManual || s.Route != nil || !scaled {
		return nil
	}
	return field.ErrorList{field.Invalid(p, s.Rollout.Strategy, manualScalingDetail)}
}

// manualScalingDetail is also CEL's message.
const manualScalingDetail = "must not be Manual with autoscaling and without a gateway, where the numbers of pods are the shares; set spec.route or turn spec.autoscaling off"

// validateSteps rejects decreasing weights. CEL's budget does not allow a look at
// an entry's neighbour.
func validateSteps(p *field.Path, list []v1.RolloutStep) field.ErrorList {
	var errs field.ErrorList
	for i := range list {
		at := p.Index(i)
		errs = append(errs, validateDuration(at.Child("pause"), list[i].Pause)...)
		if i > 0 && list[i].Weight < list[i-1].Weight {
			errs = append(errs, field.Invalid(at.Child("weight"), list[i].Weight, "must not be below the weight of the step before"))
		}
	}
	return errs
}

// validateVersionPolicy rejects times that nothing can wait for, and tags.
func validateVersionPolicy(p *field.Path, v *v1.VersionPolicy) field.ErrorList {
	if v == nil {
		return nil
	}
	errs := joinErrors(
		validateDuration(p.Child("coldAfter"), v.ColdAfter),
		validateDuration(p.Child("minAge"), v.MinAge),
		validateTags(p.Child("protectedTags"), v.ProtectedTags),
	)
	if v.Drain != nil {
		errs = append(errs, validateDuration(p.Child("drain", "window"), v.Drain.Window)...)
		errs = append(errs, validateDuration(p.Child("drain", "deadline"), v.Drain.Deadline)...)
	}
	return errs
}
