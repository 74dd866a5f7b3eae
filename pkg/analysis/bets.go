package analysis

import "math"

// maxBet keeps the worst factor at 0.1: no interval ends a test.
const maxBet = 0.9

// comparisonBets are small for many requests with a small difference, and large for
// few with a large one.
var comparisonBets = [bets]float64{.02, .05, .12, .3, .6, maxBet}

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

// absoluteFactors returns what each bet against p0 wins by an interval. The bets lie
// between p0 and maxBet with equal ratios.
func absoluteFactors(p0 float64, c Counts) [bets]float64 {
	var out [bets]float64
	gain := (c.badShare() - p0) / p0
	ratio := math.Pow(maxBet/p0, 1.0/(bets-1))
	bet := p0
	for j := range out {
		out[j] = 1 + min(bet, maxBet)*gain
		bet *= ratio
	}
	return out
}

// comparisonFactors returns what each bet wins by an interval in which a request of
// either version was bad.
func comparisonFactors(target, stable Counts) [bets]float64 {
	var out [bets]float64
	expected := 2 * float64(target.Requests) / float64(2*target.Requests+stable.Requests)
	gain := float64(target.Bad)/float64(target.Bad+stable.Bad)/expected - 1
	for j, bet := range comparisonBets {
		out[j] = 1 + bet*gain
	}
	return out
}
