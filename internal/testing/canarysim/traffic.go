package canarysim

import (
	"math"
	"math/rand/v2"

	"gati.dev/gati/pkg/analysis"
	"gati.dev/gati/pkg/rollout/simulate"
)

// Slots is how many slots an interval has: looks may lie between its ends.
const Slots = 6

// Burst is the form of the failures.
type Burst int

// The forms.
const (
	// Spread failures hit each request by itself.
	Spread Burst = iota
	// HalfInterval fails every request of half an interval.
	HalfInterval
	// WholeInterval fails every request of one interval.
	WholeInterval
	// ManySlots fails every request of BurstSlots slots, from any of them on.
	ManySlots
)

// Traffic describes the requests of one canary.
type Traffic struct {
	// PerSecond is the mean rate of all versions, Seconds the length of an interval.
	PerSecond, Seconds float64
	// Varies lets the rate vary a hundredfold within the hour.
	Varies bool
	// Weights are passed through evenly, in percent.
	Weights []float64
	// Bad is the share of bad requests of the target, StableBad that of stable.
	Bad, StableBad float64
	// Form is how the bad requests come, StableForm how those of stable do, by themselves.
	Form, StableForm Burst
	BurstSlots       int
	// Outage is a time in which both versions fail, Own one of the target alone.
	Outage, Own Outage
	// Retries is how many more requests follow each bad one, and are bad as well.
	Retries int64
	// Skew is how many slots earlier the stable version is read.
	Skew int
}

// Outage is a share of bad requests that both versions have for some slots, again and again
// where Every is set.
type Outage struct {
	Bad               float64
	From, Long, Every int
}

// covers reports whether a slot lies in an outage.
func (o Outage) covers(slot int) bool {
	since := slot - o.From
	if o.Every > 0 && since > 0 {
		since %= o.Every
	}
	return since >= 0 && since < o.Long
}

// Canary is one run of the traffic.
type Canary struct {
	Traffic
	random *rand.Rand
	phase  float64
	at, of int
	// left counts the slots of the bursts that are still to come, of target and stable.
	left [2]int
	// read has the slots of the stable version that were not read yet.
	read []analysis.Counts
}

// NewCanary returns a run over so many intervals.
func NewCanary(t Traffic, seed uint64, intervals int) *Canary {
	random := rand.New(rand.NewPCG(seed, 20))
	return &Canary{Traffic: t, random: random, phase: random.Float64() * 2 * math.Pi, of: intervals, read: make([]analysis.Counts, t.Skew)}
}

// Next returns the counts of the slots of the next interval.
func (c *Canary) Next() (target, stable [Slots]analysis.Counts) {
	weight := c.Weights[c.at*len(c.Weights)/c.of] / 100
	rate := c.PerSecond * c.Seconds / Slots
	if c.Varies {
		rate *= math.Pow(10, math.Sin(c.phase+float64(c.at)/20))
	}
	share, stableShare := c.burstShares(c.Form, c.Bad, &c.left[0]), c.burstShares(c.StableForm, c.StableBad, &c.left[1])
	for i := range target {
		if c.Outage.covers(c.at*Slots + i) {
			share[i], stableShare[i] = max(share[i], c.Outage.Bad), max(stableShare[i], c.Outage.Bad)
		}
		target[i] = simulate.Draw(c.random, rate*weight, share[i])
		stable[i] = simulate.Draw(c.random, rate*(1-weight), stableShare[i])
	}
	c.at++
	return target, stable
}

// burstShares returns the share of bad requests of each slot of an interval.
func (c *Canary) burstShares(form Burst, bad float64, left *int) (out [Slots]float64) {
	switch form {
	case Spread:
		for i := range out {
			out[i] = bad
		}
	case HalfInterval:
		if c.random.Float64() < 2*bad {
			first := c.random.IntN(Slots/2 + 1)
			for i := range Slots / 2 {
				out[first+i] = 1
			}
		}
	case ManySlots:
		for i := range out {
			if *left == 0 && c.random.Float64() < bad/float64(c.BurstSlots) {
				*left = c.BurstSlots
			}
			if *left > 0 {
				*left, out[i] = *left-1, 1
			}
		}
	case WholeInterval:
		if c.random.Float64() < bad {
			for i := range out {
				out[i] = 1
			}
		}
	}
	return out
}

// Sum adds up the slots of an interval.
func Sum(slots [Slots]analysis.Counts) (out analysis.Counts) {
	for _, s := range slots {
		out = out.Add(s)
	}
	return out
}
