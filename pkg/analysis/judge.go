package analysis

import "math"

// Question is the question of one metric about a version.
type Question struct {
	// Allowed is the share of bad requests that is allowed, nil where only the
	// comparison asks.
	Allowed *float64
	// Within is how much larger the share of bad requests may be than that of the
	// stable version; nil without a comparison.
	Within *float64
	// Floor reports whether Allowed is asked only where nothing can be compared. Both are one
	// test then: each interval counts for one of them.
	Floor bool
	// Alpha is the chance that a healthy version is rejected by one test.
	Alpha float64
	// Detect is the multiple of the allowed share that must have shown.
	Detect float64
}

// Tests returns how many tests a question makes.
func (q Question) Tests() int {
	out := 0
	if q.Allowed != nil && !q.Floor {
		out++
	}
	if q.Within != nil {
		out++
	}
	return out
}

// Interval has the counts of one interval.
type Interval struct {
	Target Counts
	// Compared is nil where no interval of the comparison ends: those may be longer.
	Compared *Pair
	// IsOpen reports whether one goes on that has this.
	IsOpen bool
}

// Pair has the counts of both versions in the same time.
type Pair struct{ Target, Stable Counts }

// State is the evidence after some intervals. The zero value has none.
type State struct {
	// Absolute tests Allowed, Comparison that the version is neither worse than twice Within
	// nor than twice the stable one.
	Absolute, Comparison Wealth
	// AbsoluteRejected and ComparisonRejected remember that a test rejected: its wealth may
	// fall again.
	AbsoluteRejected, ComparisonRejected bool
	// Target and Stable are all requests so far, of the stable version those of compared
	// intervals.
	Target, Stable Counts
	// Credited and Compared count the requests that count for Needed, of the absolute test and
	// of the comparison.
	Credited, Compared int64
}

// Observe returns the state after one more interval. One without a request of the target
// changes nothing, unless the comparison has requests that hung.
func (q Question) Observe(s State, in Interval) State {
	s.Target = s.Target.Add(in.Target)
	isCompared := in.IsOpen || in.Compared != nil
	if q.Allowed != nil && in.Target.Requests > 0 && (!q.Floor || !isCompared) {
		s = q.testAbsolute(s, in.Target)
	}
	if both := in.Compared; both != nil && both.Target.Requests > 0 && both.Stable.Requests > 0 {
		s.Stable = s.Stable.Add(both.Stable)
		if q.Within != nil {
			s = q.compare(s, both.Target, both.Stable)
		}
	}
	return s
}

// testAbsolute continues the absolute test. Where nothing may be bad, one bad request
// rejects; where all may be, nothing does.
func (q Question) testAbsolute(s State, c Counts) State {
	need, ok := q.neededFor(*q.Allowed)
	if !ok {
		s.AbsoluteRejected = s.AbsoluteRejected || *q.Allowed <= 0 && c.Bad > 0
		return s
	}
	s.Credited += min(c.Requests, need.PerInterval)
	s.Absolute = s.Absolute.placeBets(absoluteFactors(*q.Allowed, c.badShare()))
	s.AbsoluteRejected = s.AbsoluteRejected || q.testedBy(s, s.Absolute).rejects(q.Alpha)
	return s
}

// compare continues the comparison. An interval counts for Needed by what it could have shown:
// little at a high weight, and nothing where the stable version fails as well.
func (q Question) compare(s State, target, stable Counts) State {
	p0 := 2 * *q.Within
	if p0 >= 1 {
		return s
	}
	if need, ok := q.neededFor(p0); ok && stable.badShare() <= p0 && s.Target.Requests > 0 {
		all := float64(s.Target.Requests)
		_, fraction := math.Modf(golden * all) // So that parts of requests add up.
		usual := min(float64(target.Requests), all/float64(s.Comparison.Intervals+1))
		s.Compared += int64(q.creditCompared(p0, need, usual, stable) + fraction)
	}
	s.Comparison = s.Comparison.placeBets(comparisonFactors(p0, target.badShare(), stable))
	s.ComparisonRejected = s.ComparisonRejected || q.testedBy(s, s.Comparison).rejects(q.Alpha)
	return s
}

// testedBy returns the wealth that decides about a test: with a floor the product of both.
func (q Question) testedBy(s State, w Wealth) Wealth {
	if q.Floor {
		w.Log = s.Absolute.Log + s.Comparison.Log
	}
	return w
}

// Verdict is the judgement of a state about the version.
type Verdict int

// The verdicts.
const (
	// Inconclusive means that a fault might not have shown yet.
	Inconclusive Verdict = iota
	// Healthy means that a fault of Detect times the allowed share would have shown.
	Healthy
	// AboveAllowed means that more requests are bad than allowed.
	AboveAllowed
	// WorseThanStable means that the version is worse than the stable one.
	WorseThanStable
)

// Verdict returns the verdict on a state.
func (q Question) Verdict(s State) Verdict {
	switch {
	case s.AbsoluteRejected:
		return AboveAllowed
	case s.ComparisonRejected:
		return WorseThanStable
	}
	if q.Missing(s) == 0 {
		return Healthy
	}
	return Inconclusive
}

// Missing returns how many more requests must be good until a fault would have shown to each
// test. Of the comparison, those of intervals in which both versions were read count.
func (q Question) Missing(s State) int64 {
	absolute, compared := int64(0), int64(0)
	if q.Allowed != nil {
		if need, ok := q.neededFor(*q.Allowed); ok {
			absolute = need.Requests - s.Credited
		}
	}
	if q.Within != nil {
		if need, ok := q.neededFor(2 * *q.Within); ok {
			compared = need.Requests - s.Compared
		} else {
			compared = 1 - s.Stable.Requests
		}
	}
	if q.Floor {
		return max(1-s.Target.Requests, 0, min(absolute, compared))
	}
	return max(1-s.Target.Requests, 0, absolute, compared)
}

// IsStableNoBetter reports whether the stable version had its share of bad requests,
// too: at least half of the target's.
func (s State) IsStableNoBetter() bool {
	return s.Target.Requests > 0 && s.Stable.Requests > 0 && s.Stable.Bad > 0 && 2*s.Stable.badShare() >= s.Target.badShare()
}

// Outlook is what a state says before it has a verdict.
type Outlook int

// The outlooks.
const (
	// HealthySoFar means that neither counts nor odds are against the version.
	HealthySoFar Outlook = iota
	// Undecided means that one of them is.
	Undecided
	// Failing means that both are: the version is rejected if this goes on.
	Failing
)

// Outlook returns what a state says before it has a verdict. An earlier fault may have left
// odds against a version that is well again, and a few bad requests prove nothing.
func (q Question) Outlook(s State) Outlook {
	out := HealthySoFar
	if q.exceedsAllowed(s) {
		out++
	}
	if q.Evidence(s) > 1 {
		out++
	}
	return out
}

// exceedsAllowed reports whether more of all requests are bad than allowed.
func (q Question) exceedsAllowed(s State) bool {
	share := s.Target.badShare()
	return q.Allowed != nil && share > *q.Allowed ||
		q.Within != nil && share > 2**q.Within && (s.Stable.Requests == 0 && !q.Floor || share > 2*s.Stable.badShare())
}

// Evidence returns the odds against a healthy version, of the test that decides.
func (q Question) Evidence(s State) float64 {
	out := 0.0
	if q.Allowed != nil {
		out = q.testedBy(s, s.Absolute).Odds()
	}
	if q.Within != nil {
		out = max(out, q.testedBy(s, s.Comparison).Odds())
	}
	return min(out, math.MaxInt32)
}
