package v1

import (
	"cmp"
	"strconv"
	"time"
)

// Float returns the number, or 0 for text that the CRD refuses.
func (p Percent) Float() float64 { return float(string(p)) }

// DefaultQuantile is the value of an empty Quantile. The field is inside a list, where
// the CRD sets no defaults.
const DefaultQuantile Quantile = "0.99"

// Float returns the number, or 0 for text that the CRD refuses.
func (q Quantile) Float() float64 { return float(string(cmp.Or(q, DefaultQuantile))) }

// Float returns the number, or 0 for text that the CRD refuses.
func (n Number) Float() float64 { return float(string(n)) }

// Length returns the length of time, or 0 for text that the CRD refuses.
func (d ShortDuration) Length() time.Duration {
	length, err := time.ParseDuration(string(d))
	if err != nil {
		return 0
	}
	return length
}

func float(text string) float64 {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return f
}
