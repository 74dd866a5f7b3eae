package validation

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/lazyregexp"
)

var (
	durationPattern     = lazyregexp.New(`^([0-9]{1,5}d)?([0-9]{1,5}h)?([0-9]{1,5}m)?([0-9]{1,7}s)?$`)
	zeroDurationPattern = lazyregexp.New(`^(0+[dhms])+$`)
)

// validateDuration rejects text that is not a positive duration; empty is unset.
func validateDuration(p *field.Path, d v1.Duration) field.ErrorList {
	if d == "" {
		return nil
	}
	if !durationPattern.MatchString(string(d)) {
		return invalidValue(p, d, "must be days, hours, minutes and seconds in that order, such as 10s, 5m, 1h30m or 7d")
	}
	if zeroDurationPattern.MatchString(string(d)) {
		return invalidValue(p, d, "must be at least 1s")
	}
	return nil
}

// validateHealthCheck rejects a health check that cannot work. Handlers and modules
// have the same fields with different defaults.
func validateHealthCheck(p *field.Path, h *v1.HealthCheck) field.ErrorList {
	if h == nil {
		return nil
	}
	errs := joinErrors(
		validateDuration(p.Child("interval"), h.Interval),
		validateDuration(p.Child("timeout"), h.Timeout),
	)
	if h.Path != "" && !strings.HasPrefix(h.Path, "/") {
		errs = append(errs, field.Invalid(p.Child("path"), h.Path, "must start with a slash, such as /health"))
	}
	return append(errs, validateHealthTimes(p, h)...)
}

// validateHealthTimes rejects probes that overlap. CEL has no durations in days.
func validateHealthTimes(p *field.Path, h *v1.HealthCheck) field.ErrorList {
	set := *h
	set.SetDefaults()
	set.FitTimes()
	interval, err := set.Interval.Parse()
	if err != nil {
		return nil
	}
	timeout, err := set.Timeout.Parse()
	if err != nil || timeout <= interval {
		return nil
	}
	return invalidValue(p.Child("timeout"), set.Timeout, "must not be longer than the interval of "+string(set.Interval)+"; shorten it or lengthen the interval")
}
