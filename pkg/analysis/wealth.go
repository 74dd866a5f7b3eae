package analysis

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// leakDelay is how slowly the leak shrinks, the part of the wealth that is split again after
// each interval: it is 1/(n+leakDelay) after n intervals. All of it together costs no more
// than the logarithm of the intervals, however long a rollout is.
const leakDelay = 100

// Wealth is the state of one test: the logarithm of M, and the share of each bet in
// it. Cash has the rest. The zero value has seen nothing.
type Wealth struct {
	Log    float64
	Shares []float64
	// Intervals counts those that the test has seen.
	Intervals int64
}

// placeBets returns the wealth after one more interval, in which each bet won its factor.
// Before the first, each bet has the same share as the cash: the prior.
func (w Wealth) placeBets(factors []float64) Wealth {
	prior := 1 / float64(len(factors)+1)
	cash, total := 1.0, 0.0
	won := make([]float64, len(factors))
	for j, factor := range factors {
		share := prior
		if len(w.Shares) == len(factors) {
			share = w.Shares[j]
		}
		cash -= share
		won[j] = share * factor
		total += won[j]
	}
	total += max(0, cash)
	out := Wealth{Log: roundPersisted(w.Log + math.Log(total)), Intervals: w.Intervals + 1, Shares: make([]float64, len(factors))}
	leak := 1 / float64(out.Intervals+leakDelay)
	for j := range won {
		out.Shares[j] = roundPersisted((1-leak)*won[j]/total + leak*prior)
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
	if len(w.Shares) == 0 {
		return ""
	}
	parts := []string{strconv.FormatFloat(w.Log, 'g', -1, 32)}
	for _, share := range w.Shares {
		parts = append(parts, strconv.FormatFloat(share, 'g', -1, 32))
	}
	return strings.Join(append(parts, strconv.FormatInt(w.Intervals, 10)), " ")
}

// ParseWealth reads what String wrote, and refuses what no test can have come to. Releases
// before wrote no intervals after the shares of their absoluteBets.
func ParseWealth(text string) (Wealth, error) {
	parts := strings.Fields(text)
	if len(parts) == absoluteBets+1 {
		parts = append(parts, "0")
	}
	shares := len(parts) - 2
	switch {
	case len(parts) == 0:
		return Wealth{}, nil
	case shares != absoluteBets && shares != comparisonBets:
		return Wealth{}, fmt.Errorf("%d numbers instead of %d or %d", len(parts), absoluteBets+2, comparisonBets+2)
	}
	n, err := strconv.ParseInt(parts[shares+1], 10, 64)
	if err != nil || n < 0 {
		return Wealth{}, fmt.Errorf("%q is no number of intervals", parts[shares+1])
	}
	out, sum := Wealth{Intervals: n}, 0.0
	for i, part := range parts[:shares+1] {
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
		out.Shares = append(out.Shares, x)
		sum += x
	}
	if sum >= 1 {
		return Wealth{}, fmt.Errorf("the shares add up to %g", sum)
	}
	return out, nil
}
