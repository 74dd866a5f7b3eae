package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

// unavailableStrategy refuses the strategies that the API has and this release
// does not run: to take one and do something else would surprise. CEL could say
// it, but the CRD outlives the release.
func unavailableStrategy(p *field.Path, r *v1.Rollout) field.ErrorList {
	if r == nil || r.Strategy != v1.StrategyCanary && r.Strategy != v1.StrategyManual {
		return nil
	}
	return field.ErrorList{{
		Type:     field.ErrorTypeNotSupported,
		Field:    p.String(),
		BadValue: r.Strategy,
		Detail:   "is not available in this release; use RollingUpdate",
	}}
}
