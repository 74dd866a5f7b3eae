package analysis

import "math"

const (
	// quantile90 is the quantile of the normal distribution for a power of 90 %.
	quantile90 = 1.2816
	// spareIntervals are for the bets that lose before the right one wins.
	spareIntervals = 7
	// leakCost is the part of the leak, all of which costs the logarithm of the intervals, that
	// the prior does not cover: by simulation, with a request in each interval.
	leakCost = 0.4
)

// Need is how much has to be seen until a fault would have shown.
type Need struct {
	// Requests are needed in all, of which each interval counts at most PerInterval.
	Requests, PerInterval int64
	// Intervals is the fewest intervals.
	Intervals int64
	// Fault is the share of bad requests that would have shown.
	Fault float64
}

// allowedShare returns the share that the question allows; that of a comparison is
// twice Within.
func (q Question) allowedShare() float64 {
	if q.Allowed != nil && !q.Floor {
		return *q.Allowed
	}
	if q.Within != nil {
		return 2 * *q.Within
	}
	return 0
}

// Needed returns how many requests a fault needs to show with power; false where no
// number is asked, because no bad request, or any, is allowed.
func (q Question) Needed() (Need, bool) { return q.neededFor(q.allowedShare()) }

// neededFor is Needed for an allowed share.
func (q Question) neededFor(p0 float64) (Need, bool) {
	if p0 <= 0 || p0 >= 1 {
		return Need{}, false
	}
	p1 := faultShare(p0, q.Detect)
	threshold := math.Log((absoluteBets + 1) / q.Alpha)
	requests := requestsFor(p0, p1, threshold)
	requests = math.Round(requestsFor(p0, p1, threshold+leakCost*math.Log1p(requests/leakDelay)))
	intervals := math.Ceil(1.25*threshold/math.Log(1+maxBet*(p1/p0-1))) + spareIntervals
	return Need{
		Requests: int64(requests), Intervals: int64(intervals),
		PerInterval: int64(math.Ceil(requests / intervals)), Fault: p1,
	}, true
}

// requestsFor returns how many requests tell p1 from p0 at a threshold of the log likelihood.
func requestsFor(p0, p1, threshold float64) float64 {
	bad, good := math.Log(p1/p0), math.Log((1-p1)/(1-p0))
	mean := p1*bad + (1-p1)*good
	deviation := math.Sqrt(p1*(1-p1)) * (bad - good)
	root := (quantile90*deviation + math.Sqrt(quantile90*quantile90*deviation*deviation+4*mean*threshold)) / (2 * mean)
	return root * root
}

// faultShare returns the share of bad requests of a fault that must show: at most half
// way between the allowed one and all.
func faultShare(p0, detect float64) float64 { return min(detect*p0, (1+p0)/2) }

// VisibleFault returns the smallest share of bad requests that the requests so far would
// have shown; false where they would not even show a version that fails all.
func (q Question) VisibleFault(s State) (float64, bool) {
	p0, requests := q.allowedShare(), s.Target.Requests
	if q.Allowed == nil || q.Floor {
		requests = s.Compared
	}
	if p0 <= 0 || p0 >= 1 {
		return 0, s.Target.Requests > 0
	}
	low, high := 1.0, 1/p0
	visible := func(detect float64) bool {
		other := q
		other.Detect = detect
		need, _ := other.Needed()
		return need.Requests <= requests
	}
	if !visible(high) {
		return 0, false
	}
	for range 40 {
		if middle := (low + high) / 2; visible(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return faultShare(p0, high), true
}
