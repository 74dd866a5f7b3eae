package analysis

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// bets is how many bets a test has beside the cash that is not bet.
const bets = 6

// leakDelay is how slowly the leak shrinks, the part of the wealth that is split again after
// each interval: it is 1/(n+leakDelay) after n intervals. All of it together costs no more
// than the logarithm of the intervals, however long a rollout is.
const leakDelay = 100

// Wealth is the state of one test: the logarithm of M, and the share of each bet in
// it. Cash has the rest. The zero value has seen nothing.
type Wealth struct {
	Log    float64
	Shares [bets]float64
	// Intervals counts those that the test has seen.
	Intervals int64
}

// prior is the share of each bet, and of the cash, before any interval.
const prior = 1.0 / (bets + 1)

// placeBets returns the wealth after one more interval, in which each bet won its factor.
func (w Wealth) placeBets(factors [bets]float64) Wealth {
	shares := w.currentShares()
	cash, total := 1.0, 0.0
	for j, share := range shares {
		cash -= share
		shares[j] = share * factors[j]
		total += shares[j]
	}
	total += max(0, cash)
	out := Wealth{Log: roundPersisted(w.Log + math.Log(total)), Intervals: w.Intervals + 1}
	leak := 1 / float64(out.Intervals+leakDelay)
	for j, won := range shares {
		out.Shares[j] = roundPersisted((1-leak)*won/total + leak*prior)
	}
	return out
}

// currentShares returns the shares; those of the zero value are the prior.
func (w Wealth) currentShares() [bets]float64 {
	if w != (Wealth{}) {
		return w.Shares
	}
	var out [bets]float64
	for j := range out {
		out[j] = prior
	}
	return out
}

// Odds returns M, the odds against the null that a bettor would have won.
func (w Wealth) Odds() float64 { return math.Exp(w.Log) }

// rejects reports whether the wealth has reached 1/alpha.
func (w Wealth) rejects(alpha float64) bool { return w.Log >= -math.Log(alpha) }

// roundPersisted keeps what String writes, so that a persisted wealth equals the one in memory.
func roundPersisted(x float64) float64 { return float64(float32(x)) }

// String writes a wealth: its logarithm, its shares and its intervals. The zero value is empty.
func (w Wealth) String() string {
	if w == (Wealth{}) {
		return ""
	}
	parts := []string{strconv.FormatFloat(w.Log, 'g', -1, 32)}
	for _, share := range w.Shares {
		parts = append(parts, strconv.FormatFloat(share, 'g', -1, 32))
	}
	return strings.Join(append(parts, strconv.FormatInt(w.Intervals, 10)), " ")
}

// ParseWealth reads what String wrote, and refuses what no test can have come to. Releases
// before wrote no intervals.
func ParseWealth(text string) (Wealth, error) {
	var out Wealth
	if text == "" {
		return out, nil
	}
	parts := strings.Fields(text)
	if len(parts) == bets+2 {
		n, err := strconv.ParseInt(parts[bets+1], 10, 64)
		if err != nil || n < 0 {
			return out, fmt.Errorf("%q is no number of intervals", parts[bets+1])
		}
		out.Intervals, parts = n, parts[:bets+1]
	}
	if len(parts) != bets+1 {
		return Wealth{}, fmt.Errorf("%d numbers instead of %d", len(parts), bets+1)
	}
	var sum float64
	for i, part := range parts {
		x, err := strconv.ParseFloat(part, 32)
		switch {
		case err != nil || math.IsNaN(x) || math.IsInf(x, 0):
			return Wealth{}, fmt.Errorf("%q is no number", part)
		case i == 0:
			out.Log = x
			continue
		case x <= 0 || x >= 1:
			return Wealth{}, fmt.Errorf("the share %q is not between 0 and 1", part)
		}
		out.Shares[i-1] = x
		sum += x
	}
	if sum >= 1 {
		return Wealth{}, fmt.Errorf("the shares add up to %g", sum)
	}
	return out, nil
}
