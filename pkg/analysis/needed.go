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
	// spareShare is for what of the comparison is not of a mean and a deviation: by simulation.
	spareShare = 1.4
	// golden spreads the parts of requests evenly.
	golden = 0.618033988749895
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
	requests := math.Round(q.untilThreshold(absoluteBets, p1, math.Log(p1/p0), math.Log((1-p1)/(1-p0))))
	intervals := math.Ceil(1.25*math.Log((absoluteBets+1)/q.Alpha)/math.Log(1+maxBet*(p1/p0-1))) + spareIntervals
	return Need{
		Requests: int64(requests), Intervals: int64(intervals),
		PerInterval: int64(math.Ceil(requests / intervals)), Fault: p1,
	}, true
}

// creditCompared returns how many of the needed requests an interval of the comparison counts
// for: by how many such intervals its best pair of bets needs to win of a fault.
func (q Question) creditCompared(p0 float64, need Need, requests float64, stable Counts) float64 {
	shows, fewest := 1-math.Pow(1-need.Fault, requests), math.Inf(1)
	hidden := comparisonFactors(p0, 0, stable)
	for j, factor := range comparisonFactors(p0, need.Fault/shows, stable) {
		fewest = min(fewest, q.untilThreshold(comparisonBets, shows, math.Log(factor), math.Log(hidden[j])))
	}
	return float64(need.Requests) / (spareShare * fewest)
}

// untilThreshold returns how often a bet has to be placed, one of so many, until a test rejects
// with power: it wins one logarithm with a chance, and loses another. It is infinite for a bet
// that loses in the mean.
func (q Question) untilThreshold(bets int, chance, won, lost float64) float64 {
	mean, deviation := chance*won+(1-chance)*lost, math.Sqrt(chance*(1-chance))*(won-lost)
	if mean <= 0 {
		return math.Inf(1)
	}
	threshold := math.Log(float64(bets+1) / q.Alpha)
	out := timesFor(mean, deviation, threshold)
	return timesFor(mean, deviation, threshold+leakCost*math.Log1p(out/leakDelay))
}

// timesFor returns how often a sum of such logarithms needs another until it reaches a threshold
// with power.
func timesFor(mean, deviation, threshold float64) float64 {
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
