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
	// Alpha is the chance that a healthy version is rejected by one test.
	Alpha float64
	// Detect is the multiple of the allowed share that must have shown.
	Detect float64
}

// Tests returns how many tests a question makes. The two of a comparison reject
// together, and count as one.
func (q Question) Tests() int {
	out := 0
	if q.Allowed != nil {
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
	// Stable is nil where the versions cannot be compared: the weights changed, or the
	// stable version was not counted.
	Stable *Counts
}

// State is the evidence after some intervals. The zero value has none.
type State struct {
	// Absolute tests Allowed, Excess tests twice Within, Comparison the share of the
	// target in the bad requests of both.
	Absolute, Excess, Comparison Wealth
	// AbsoluteRejected, ExcessRejected and ComparisonRejected remember that a test
	// rejected: its wealth may fall again.
	AbsoluteRejected, ExcessRejected, ComparisonRejected bool
	// Target and Stable are all requests so far.
	Target, Stable Counts
	// Credited counts the requests that count for Needed.
	Credited int64
}

// Observe returns the state after one more interval. One without a request of the
// target changes nothing.
func (q Question) Observe(s State, in Interval) State {
	if in.Target.Requests <= 0 {
		return s
	}
	s.Target = s.Target.Add(in.Target)
	if in.Stable != nil {
		s.Stable = s.Stable.Add(*in.Stable)
	}
	if need, ok := q.Needed(); ok {
		s.Credited += min(in.Target.Requests, need.PerInterval)
	}
	if q.Allowed != nil {
		s.Absolute, s.AbsoluteRejected = q.testAbsolute(s.Absolute, s.AbsoluteRejected, *q.Allowed, in.Target)
	}
	if q.Within != nil {
		s.Excess, s.ExcessRejected = q.testAbsolute(s.Excess, s.ExcessRejected, 2**q.Within, in.Target)
		if in.Stable != nil && in.Stable.Requests > 0 && in.Target.Bad+in.Stable.Bad > 0 {
			s.Comparison = s.Comparison.placeBets(comparisonFactors(in.Target, *in.Stable))
			s.ComparisonRejected = s.ComparisonRejected || s.Comparison.rejects(q.Alpha)
		}
	}
	return s
}

// testAbsolute continues one absolute test. Where nothing may be bad, one bad request
// rejects; where all may be, nothing does.
func (q Question) testAbsolute(w Wealth, rejected bool, p0 float64, c Counts) (Wealth, bool) {
	switch {
	case p0 <= 0:
		return w, rejected || c.Bad > 0
	case p0 >= 1:
		return w, rejected
	}
	w = w.placeBets(absoluteFactors(p0, c))
	return w, rejected || w.rejects(q.Alpha)
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
	case s.ExcessRejected && s.ComparisonRejected:
		return WorseThanStable
	}
	if q.Missing(s) == 0 {
		return Healthy
	}
	return Inconclusive
}

// Missing returns how many more requests must be good until a fault would have shown.
func (q Question) Missing(s State) int64 {
	need, ok := q.Needed()
	if !ok {
		return max(0, 1-s.Target.Requests)
	}
	return max(0, need.Requests-s.Credited)
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
		q.Within != nil && share > 2**q.Within && (s.Stable.Requests == 0 || share > 2*s.Stable.badShare())
}

// Evidence returns the odds against a healthy version, of the test that decides.
func (q Question) Evidence(s State) float64 {
	out := 0.0
	if q.Allowed != nil {
		out = s.Absolute.Odds()
	}
	if q.Within != nil {
		out = max(out, min(s.Excess.Odds(), s.Comparison.Odds()))
	}
	return min(out, math.MaxInt32)
}
