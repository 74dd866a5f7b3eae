package analysis

import "math"

// maxBet keeps the worst factor at 0.1: no interval ends a test.
const maxBet = 0.9

// absoluteBets is how many bets the absolute test has, comparisonBets how many the
// comparison: each of shareBets with each of a few against an allowed share.
const (
	absoluteBets   = 6
	comparisonBets = 4 * 4
)

// shareBets are small for many requests with a small difference, and large for few with a
// large one.
var shareBets = [4]float64{.05, .2, .5, maxBet}

// Counts are the requests of one version in one interval, and the bad ones of them.
type Counts struct{ Requests, Bad int64 }

// badShare returns the share of bad requests.
func (c Counts) badShare() float64 {
	return float64(min(c.Bad, c.Requests)) / float64(c.Requests)
}

// Add returns the sum of two counts.
func (c Counts) Add(other Counts) Counts {
	return Counts{c.Requests + other.Requests, c.Bad + other.Bad}
}

// absoluteFactors returns what each of n bets against p0 wins by an interval. The bets lie
// between p0 and maxBet with equal ratios. Where nothing may be bad, a bad request wins all.
func absoluteFactors(n int, p0 float64, c Counts) []float64 {
	out := make([]float64, n)
	ratio, bet, gain := math.Pow(maxBet/p0, 1/float64(n-1)), p0, (c.badShare()-p0)/p0
	for j := range out {
		switch {
		case p0 > 0:
			out[j] = 1 + min(bet, maxBet)*gain
		case c.Bad > 0:
			out[j] = math.Inf(1)
		default:
			out[j] = 1
		}
		bet *= ratio
	}
	return out
}

// comparisonFactors returns what each pair of bets wins by an interval in which both versions
// were read: the smaller factor of its two bets, against p0 and on the target's share of the
// bad requests. So no pair gains in expectation as long as one of the two does not.
func comparisonFactors(p0 float64, target, stable Counts) []float64 {
	gain := 0.0
	if bad := target.Bad + stable.Bad; bad > 0 {
		gain = float64(target.Bad)/float64(bad)/expectedShare(target, stable) - 1
	}
	var out []float64
	for _, absolute := range absoluteFactors(comparisonBets/len(shareBets), p0, target) {
		for _, bet := range shareBets {
			out = append(out, min(absolute, 1+bet*gain))
		}
	}
	return out
}

// expectedShare returns the target's share of the bad requests if it is twice as bad.
func expectedShare(target, stable Counts) float64 {
	return 2 * float64(target.Requests) / float64(2*target.Requests+stable.Requests)
}
