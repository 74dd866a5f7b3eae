package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

// rollout refuses steps and times that no rollout could take.
func rollout(p *field.Path, r *v1.Rollout) field.ErrorList {
	if r == nil {
		return nil
	}
	return join(
		oneOf(p.Child("strategy"), r.Strategy, v1.StrategyRollingUpdate, v1.StrategyCanary, v1.StrategyManual),
		duration(p.Child("progressDeadline"), r.ProgressDeadline),
		duration(p.Child("rollbackWindow"), r.RollbackWindow),
		steps(p.Child("steps"), r.Steps),
		analysis(p.Child("analysis"), r.Analysis),
	)
}

// manualScaling refuses shares that nothing could keep: without a gateway a
// version's share is that of its pods, and an autoscaler would move it.
func manualScaling(p *field.Path, s *v1.GatiHandlerSpec) field.ErrorList {
	scaled := s.Autoscaling != nil && s.Autoscaling.Enabled != nil && *s.Autoscaling.Enabled
	if s.Rollout == nil || s.Rollout.Strategy != v1.StrategyManual || s.Route != nil || !scaled {
		return nil
	}
	return field.ErrorList{field.Invalid(p, s.Rollout.Strategy, manualScalingDetail)}
}

// manualScalingDetail is CEL's message, too.
const manualScalingDetail = "must not be Manual with autoscaling and without a gateway, where the numbers of pods are the shares; set spec.route or turn spec.autoscaling off"

// steps refuses weights that go down: CEL has no view of an entry's neighbour
// that its budget would allow.
func steps(p *field.Path, list []v1.RolloutStep) field.ErrorList {
	errs := atMostItems(p, len(list), maxSteps)
	for i := range list {
		at := p.Index(i)
		errs = append(errs, between(at.Child("weight"), &list[i].Weight, 0, 100)...)
		errs = append(errs, duration(at.Child("pause"), list[i].Pause)...)
		if i > 0 && list[i].Weight < list[i-1].Weight {
			errs = append(errs, field.Invalid(at.Child("weight"), list[i].Weight, "must not be below the weight of the step before"))
		}
	}
	return errs
}

// timescape refuses what no version can be given.
func timescape(p *field.Path, t *v1.Timescape) field.ErrorList {
	if t == nil {
		return nil
	}
	return between(p.Child("routingWeight"), t.RoutingWeight, 0, 100)
}

// versionPolicy refuses times and numbers that make no sense of their own.
func versionPolicy(p *field.Path, v *v1.VersionPolicy) field.ErrorList {
	if v == nil {
		return nil
	}
	errs := join(
		oneOf(p.Child("compatibility"), v.Compatibility, v1.CompatibilityNone, v1.CompatibilityBackward, v1.CompatibilityForward, v1.CompatibilityFull),
		duration(p.Child("coldAfter"), v.ColdAfter),
		between(p.Child("minActive"), v.MinActive, 1, maxVersionsKept),
		duration(p.Child("minAge"), v.MinAge),
		between(p.Child("historyLimit"), v.HistoryLimit, 0, maxVersionsKept),
		tags(p.Child("protectedTags"), v.ProtectedTags),
	)
	if v.Drain != nil {
		errs = append(errs, duration(p.Child("drain", "window"), v.Drain.Window)...)
		errs = append(errs, duration(p.Child("drain", "deadline"), v.Drain.Deadline)...)
	}
	return errs
}
