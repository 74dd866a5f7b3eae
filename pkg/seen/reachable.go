package seen

import "time"

// settlingTime is how long a gateway is given to hear of an endpoint. The times that it
// counts from are whole seconds, rounded down.
const settlingTime = 3 * time.Second

// Settling returns the reachable pods that a gateway may not have heard of by now, and
// how long until it has heard of all. A time further in the future is of a wrong clock
// and counts for nothing.
func (w *Workload) Settling(now time.Time) (pods int32, left time.Duration) {
	for _, since := range w.Reachable {
		if more := settlingLeft(since, now); more > 0 {
			pods, left = pods+1, max(left, more)
		}
	}
	return pods, max(left, settlingLeft(w.ServedSince, now))
}

// HasSettled reports whether a gateway has heard of the workload's own Service.
func (w *Workload) HasSettled(now time.Time) bool {
	return !w.ServedSince.IsZero() && settlingLeft(w.ServedSince, now) == 0
}

func settlingLeft(since, now time.Time) time.Duration {
	more := since.Add(settlingTime).Sub(now)
	if more > 2*settlingTime {
		return 0
	}
	return max(0, more)
}
