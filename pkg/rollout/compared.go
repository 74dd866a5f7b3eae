package rollout

import (
	"cmp"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/analysis"
)

// skewsPerInterval is how many times the time between the readings of both versions an
// interval of the comparison lasts at least: an outage in between would be a fault of one of
// them. Readings that are seldom make longer intervals, for which the absolute test does not
// wait.
const skewsPerInterval = 5

// countedInterval has the requests of the target in one interval.
type countedInterval struct {
	began, at time.Time
	increase
}

// continueComparison adds an interval of the target to the open one of the comparison, and
// returns the requests of that where it ends. Where the weights changed, or something of either
// version is unknown, another one begins.
func (j judging) continueComparison(metric Metric, limit float64, counted *v1.CountedStatus, target *unit, in countedInterval) *analysis.Pair {
	stable, open := j.stableCounters(), v1.OpenInterval{}
	isWhole := in.isWhole && counted.Open != nil
	if counted.Open != nil {
		open = *counted.Open
	}
	read, beside := metric.increaseSince(counted.StableCounters, in.began, stable, limit)
	counted.StableCounters, counted.Open = nil, nil
	if stable.Known {
		counted.StableCounters = read
		counted.Open = &v1.OpenInterval{Since: stampOf(in.at), StableSince: stampOf(stable.At)}
	}
	if !j.isShared(target, in.began) {
		noteUncompared(counted, open.Intervals, "their step ended before")
		return nil
	}
	open.Intervals++
	open.Target, open.Stable = addCounts(open.Target, in.withHung()), addCounts(open.Stable, beside.withHung())
	skew := max(in.at.Sub(stable.At).Abs(), open.Since.Sub(open.StableSince.Time).Abs())
	switch {
	case !stable.Known:
		noteUncompared(counted, open.Intervals, cmp.Or(stable.Message, "the stable version was not read"))
	case !isWhole, !beside.isWhole:
		noteUncompared(counted, open.Intervals, "a part of the counters was not read, or began again")
	case open.Stable.Requests == 0:
		counted.Open, counted.UncomparedReason = &open, "the stable version had no request"
	case in.at.Sub(open.Since.Time) < skewsPerInterval*skew:
		counted.Open, counted.UncomparedReason = &open, fmt.Sprintf("the readings of both versions are %s apart, which takes intervals of %s", skew.Round(time.Second), (skewsPerInterval*skew).Round(time.Second))
	default:
		return &analysis.Pair{Target: analysis.Counts(open.Target), Stable: analysis.Counts(open.Stable)}
	}
	return nil
}

func stampOf(t time.Time) metav1.Time { return metav1.Time{Time: t.Truncate(time.Second)} }

func addCounts(a, b v1.RequestCounts) v1.RequestCounts {
	return v1.RequestCounts(analysis.Counts(a).Add(analysis.Counts(b)))
}

func noteUncompared(counted *v1.CountedStatus, intervals int64, why string) {
	if intervals > 0 {
		counted.Uncompared += intervals
		counted.UncomparedReason = why
	}
}

// describeUncompared returns how many intervals were compared, and why others were not; empty
// where all were.
func describeUncompared(c *v1.CountedStatus) string {
	without := c.Uncompared
	if c.Open != nil {
		without += c.Open.Intervals
	}
	if without == 0 {
		return ""
	}
	with := stateOf(c).Comparison.Intervals
	return fmt.Sprintf("compared %d of %d intervals: %s", with, with+without, c.UncomparedReason)
}

// stableCounters returns those to compare with. A version that was promoted is the stable
// one itself.
func (j judging) stableCounters() Counters {
	if j.ro.Stable == nil || j.ro.Phase == v1.RolloutStable {
		return Counters{}
	}
	return j.counters[j.ro.Stable.Workload]
}

// isShared reports whether both versions share the traffic of an interval, of one weight.
func (j judging) isShared(target *unit, began time.Time) bool {
	since := j.ro.StepStartedAt
	return target.Weight < 100 && since != nil && !began.Before(since.Time)
}
