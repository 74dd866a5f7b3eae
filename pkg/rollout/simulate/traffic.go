package simulate

import (
	"math"

	"gati.dev/gati/pkg/analysis"
)

// Traffic returns the requests of a time in which a mean number is expected, and those of
// them that fail with a share. Fractions are carried over to the next time.
type Traffic func(mean, bad float64) (requests, failed float64)

// Even traffic has what is expected.
func Even(mean, bad float64) (requests, failed float64) { return mean, mean * bad }

// Random is a source of random numbers.
type Random interface {
	Float64() float64
	NormFloat64() float64
}

// Drawn traffic has requests that come independently of each other.
func Drawn(random Random) Traffic {
	return func(mean, bad float64) (requests, failed float64) {
		if mean == 0 {
			return 0, 0
		}
		c := Draw(random, mean, bad)
		return float64(c.Requests), float64(c.Bad)
	}
}

// Draw draws the requests of a time in which a mean number is expected, and the bad ones.
func Draw(random Random, mean, bad float64) analysis.Counts {
	n := poisson(random, mean)
	return analysis.Counts{Requests: n, Bad: binomial(random, n, bad)}
}

// poisson draws a number of requests.
func poisson(random Random, mean float64) int64 {
	if mean > 30 {
		return max(0, int64(math.Round(mean+math.Sqrt(mean)*random.NormFloat64())))
	}
	limit, product, n := math.Exp(-mean), random.Float64(), int64(0)
	for product > limit {
		product *= random.Float64()
		n++
	}
	return n
}

// binomial draws how many of n requests are bad, by the gaps between them.
func binomial(random Random, n int64, p float64) int64 {
	switch {
	case p <= 0 || n == 0:
		return 0
	case p >= 1:
		return n
	case p > 0.5:
		return n - binomial(random, n, 1-p)
	}
	var out int64
	per := math.Log1p(-p)
	for at := 0.0; ; out++ {
		at += math.Floor(math.Log(1-random.Float64())/per) + 1
		if at > float64(n) {
			return out
		}
	}
}
