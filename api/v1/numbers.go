package v1

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"gati.dev/gati/pkg/lazyregexp"
)

// Float returns the number, or 0 for text that the CRD refuses.
func (p Percent) Float() float64 { return parseFloat(string(p)) }

// DefaultQuantile is the value of an empty Quantile. The field is inside a list, where
// the CRD sets no defaults.
const DefaultQuantile Quantile = "0.99"

// Float returns the number, or 0 for text that the CRD refuses.
func (q Quantile) Float() float64 { return parseFloat(string(cmp.Or(q, DefaultQuantile))) }

// Float returns the number, or 0 for text that the CRD refuses.
func (n Number) Float() float64 { return parseFloat(string(n)) }

// Length returns the length of time, or 0 for text that the CRD refuses.
func (d ShortDuration) Length() time.Duration {
	length, err := time.ParseDuration(string(d))
	if err != nil {
		return 0
	}
	return length
}

func parseFloat(text string) float64 {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return f
}

// Duration is a length of time as the user wrote it: whole days, hours, minutes and
// seconds in that order, such as "10s", "5m", "1h30m" or "7d". It is kept as text, so
// that nothing rewrites "60s" into "1m0s". The minimum is one second.
//
// +kubebuilder:validation:Type=string
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:XValidation:rule="size(self) > 0 && self.matches('^([0-9]{1,5}d)?([0-9]{1,5}h)?([0-9]{1,5}m)?([0-9]{1,7}s)?$')",message="must be days, hours, minutes and seconds in that order, such as 10s, 5m, 1h30m or 7d"
// +kubebuilder:validation:XValidation:rule="!self.matches('^(0+[dhms])+$')",message="must be at least 1s"
type Duration string

var durationPattern = lazyregexp.New(`^(?:(\d{1,5})d)?(?:(\d{1,5})h)?(?:(\d{1,5})m)?(?:(\d{1,7})s)?$`)

// Parse returns the length of time. It fails on text that the CRD refuses as well:
// unknown units, units out of order, empty text, or zero.
func (d Duration) Parse() (time.Duration, error) {
	parts := durationPattern.FindStringSubmatch(string(d))
	if parts == nil || d == "" {
		return 0, fmt.Errorf("%q must be days, hours, minutes and seconds in that order, such as 10s, 5m, 1h30m or 7d", string(d))
	}
	units := []time.Duration{24 * time.Hour, time.Hour, time.Minute, time.Second}
	var sum time.Duration
	for i, unit := range units {
		if parts[i+1] == "" {
			continue
		}
		n, err := strconv.ParseInt(parts[i+1], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%q: %w", string(d), err)
		}
		sum += time.Duration(n) * unit
	}
	if sum < time.Second {
		return 0, fmt.Errorf("%q must be at least 1s", string(d))
	}
	return sum, nil
}

// OrDefault returns the length of time, or the given static default when the text is
// empty or invalid.
func (d Duration) OrDefault(fallback Duration) time.Duration { return d.Or(fallback.Or(0)) }

// Or returns the length of time, or fallback when the text is empty or invalid. Callers
// run behind validation, which has already refused invalid text.
func (d Duration) Or(fallback time.Duration) time.Duration {
	if v, err := d.Parse(); err == nil {
		return v
	}
	return fallback
}
