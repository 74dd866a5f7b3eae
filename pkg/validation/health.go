package validation

import (
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/lazyregexp"
)

var (
	durationPattern = lazyregexp.New(`^([0-9]{1,5}d)?([0-9]{1,5}h)?([0-9]{1,5}m)?([0-9]{1,7}s)?$`)
	zero            = lazyregexp.New(`^(0+[dhms])+$`)
)

const maxDuration = 32

// duration refuses what is no length of time. An empty one has a default or
// means none.
func duration(p *field.Path, d v1.Duration) field.ErrorList {
	if d == "" {
		return nil
	}
	if utf8.RuneCountInString(string(d)) > maxDuration {
		return atMost(p, d, maxDuration)
	}
	if !durationPattern.MatchString(string(d)) {
		return wrong(p, d, "must be days, hours, minutes and seconds in that order, such as 10s, 5m, 1h30m or 7d")
	}
	if zero.MatchString(string(d)) {
		return wrong(p, d, "must be at least 1s")
	}
	return nil
}

// health refuses a check that could not work. The fields of handlers and modules
// are the same; their defaults differ.
func health(p *field.Path, h *v1.HealthCheck) field.ErrorList {
	if h == nil {
		return nil
	}
	errs := join(
		oneOf(p.Child("type"), h.Type, v1.HealthCheckHTTP, v1.HealthCheckTCP, v1.HealthCheckGRPC),
		atMost(p.Child("path"), h.Path, maxPathLength),
		duration(p.Child("interval"), h.Interval),
		duration(p.Child("timeout"), h.Timeout),
		between(p.Child("failureThreshold"), h.FailureThreshold, 1, maxFailures),
	)
	if h.Path != "" && !strings.HasPrefix(h.Path, "/") {
		errs = append(errs, field.Invalid(p.Child("path"), h.Path, "must start with a slash, such as /health"))
	}
	return append(errs, healthTimes(p, h)...)
}

// healthTimes refuses probes that overlap. CEL has no durations of days, and the
// two fields' defaults take part.
func healthTimes(p *field.Path, h *v1.HealthCheck) field.ErrorList {
	set := *h
	set.SetDefaults()
	interval, err := set.Interval.Parse()
	if err != nil {
		return nil
	}
	timeout, err := set.Timeout.Parse()
	if err != nil || timeout <= interval {
		return nil
	}
	return wrong(p.Child("timeout"), set.Timeout, "must not be longer than the interval of "+string(set.Interval)+"; shorten it or lengthen the interval")
}
