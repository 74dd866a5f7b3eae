package load

import (
	"slices"
	"time"
)

// latencies are how long requests took.
type latencies []time.Duration

// quantile returns the time within which a share of the requests was over.
func (l latencies) quantile(share float64) time.Duration {
	if len(l) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(l))
	return sorted[int(share*float64(len(sorted)-1))]
}
