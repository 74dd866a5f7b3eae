package analysis

import "math"

const (
	// maxBet keeps the worst factor of a bet at 0.1: no interval ends a test.
	maxBet = 0.9
	// maxPairBet is that of a bet on both versions at once: four intervals in which every request
	// fails make a hundredfold.
	maxPairBet = 0.96
	// absoluteBets is how many bets the absolute test has, comparisonBets how many the
	// comparison: both kinds of each of its draws, with each of two against an allowed share.
	absoluteBets   = 6
	comparisonBets = 2 * 2 * len(draws)
)

// draws are how many requests of the target the bets of the comparison draw: one for a fault of
// most of them, many for one of a few.
var draws = [4]draw{1, 4, 16, 64}

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

// absoluteFactors returns what the bets against p0 win by an interval with a share of bad
// requests. They lie between p0 and maxBet with equal ratios. Where nothing may be bad, a bad
// request wins all.
func absoluteFactors(p0, share float64) []float64 {
	out := make([]float64, absoluteBets)
	ratio, bet, gain := math.Pow(maxBet/p0, 1.0/(absoluteBets-1)), p0, (share-p0)/p0
	for j := range out {
		switch {
		case p0 > 0:
			out[j] = 1 + min(bet, maxBet)*gain
		case share > 0:
			out[j] = math.Inf(1)
		default:
			out[j] = 1
		}
		bet *= ratio
	}
	return out
}

// comparisonFactors returns what each pair of bets wins by an interval in which a share of the
// target's requests is bad: the smaller factor of its two bets, against p0 and against the
// stable version. So no pair gains in expectation as long as one of the two does not.
func comparisonFactors(p0, share float64, stable Counts) (out []float64) {
	allowed := absoluteFactors(p0, share)
	for _, n := range draws {
		both, difference := n.factors(share, stable)
		out = append(out, min(allowed[5], both), min(allowed[3], both), min(allowed[3], difference), min(allowed[1], difference))
	}
	return out
}

// draw is how many requests of the target a bet of the comparison draws.
type draw int64

// factors returns what the two bets of a draw win by an interval in which a share of the target's
// requests is bad. Drawn are so many of the target and twice as many of the stable version, or
// fewer where that had fewer. One bets that a request of the former is bad and all of the latter
// are good, which has a chance of at most 1/4 where none is worse and each fails at times of its
// own; the other on the difference of the chances that one is bad, whatever the times are.
func (d draw) factors(share float64, stable Counts) (both, difference float64) {
	twice, isGood := min(2*int64(d), stable.Requests), 1.0
	for i := range twice {
		isGood *= float64(max(0, stable.Requests-stable.Bad-i)) / float64(stable.Requests-i)
	}
	isBad := 1 - math.Pow(1-share, float64(max(1, twice/2)))
	return 1 + maxPairBet*(4*isBad*isGood-1), 1 + maxBet*(isBad+isGood-1)
}
