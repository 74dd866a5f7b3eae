package signals

import (
	"cmp"
	"math"
	"slices"
)

// Stats count the requests of a window.
type Stats struct {
	// Requests have ended, Errors of them with status 500 or more.
	Requests, Errors float64
	// Buckets count the requests that took at most a bound in seconds. The last
	// bound is +Inf.
	Buckets map[float64]float64
}

func newStats() *Stats { return &Stats{Buckets: map[float64]float64{}} }

// SuccessRate returns the share of requests that did not fail, in percent.
func (s *Stats) SuccessRate() (float64, bool) {
	if s.Requests <= 0 || s.Errors > s.Requests {
		return 0, false
	}
	return 100 * (s.Requests - s.Errors) / s.Requests, true
}

// bucket is one bound of a histogram.
type bucket struct{ bound, count float64 }

// Quantile returns the time in seconds that a share q of the requests took at most,
// interpolated within a bucket as Prometheus does. atLeast is true if it lies
// beyond the last bound.
func (s *Stats) Quantile(q float64) (value float64, atLeast, known bool) {
	var list []bucket
	for bound, count := range s.Buckets {
		list = append(list, bucket{bound, count})
	}
	slices.SortFunc(list, func(a, b bucket) int { return cmp.Compare(a.bound, b.bound) })
	if len(list) < 2 || !math.IsInf(list[len(list)-1].bound, 1) || list[len(list)-1].count <= 0 {
		return 0, false, false
	}
	// Extrapolation may leave a count a little below the one before.
	for i := 1; i < len(list); i++ {
		list[i].count = max(list[i].count, list[i-1].count)
	}
	rank := q * list[len(list)-1].count
	at := slices.IndexFunc(list, func(b bucket) bool { return b.count >= rank })
	if at < 0 || at == len(list)-1 {
		return list[len(list)-2].bound, true, true
	}
	low, below := 0.0, 0.0
	if at > 0 {
		low, below = list[at-1].bound, list[at-1].count
	}
	if list[at].count == below {
		return list[at].bound, false, true
	}
	return low + (list[at].bound-low)*(rank-below)/(list[at].count-below), false, true
}
