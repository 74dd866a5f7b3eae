package rollout

import (
	"math"
	"slices"
	"time"

	v1 "gati.dev/gati/api/v1"
)

// Counters are the counts of a workload's pods, or of the gateway for it, at one time.
type Counters struct {
	// Known reports whether all of them were read. Message is the reason where not.
	Known   bool
	Message string
	// At is up to when they are complete.
	At time.Time
	// By identifies the set of instances.
	By        string
	Instances []InstanceCounters
}

// InstanceCounters are those of one process, from its start.
type InstanceCounters struct {
	Started          time.Time
	Requests, Errors int64
	// Buckets have rising bounds; the last is +Inf. It is empty before the first request.
	Buckets []Bucket
}

// Bucket counts the requests that took at most a bound in seconds.
type Bucket struct {
	Bound float64
	Count int64
}

// countRequests returns the requests of an instance and the bad ones, with the limit of a latency.
func (m Metric) countRequests(one InstanceCounters, limit float64) v1.RequestCounts {
	if m.Kind != Latency {
		return v1.RequestCounts{Requests: one.Requests, Bad: one.Errors}
	}
	if len(one.Buckets) == 0 {
		return v1.RequestCounts{}
	}
	all := one.Buckets[len(one.Buckets)-1].Count
	at := slices.IndexFunc(one.Buckets, func(b Bucket) bool { return b.Bound >= limit })
	return v1.RequestCounts{Requests: all, Bad: all - one.Buckets[max(0, at)].Count}
}

// countersFor returns the sum of all instances.
func (m Metric) countersFor(c Counters, limit float64) *v1.CountersStatus {
	out := &v1.CountersStatus{By: c.By}
	for _, one := range c.Instances {
		addCounts(&out.RequestCounts, m.countRequests(one, limit))
	}
	return out
}

func addCounts(to *v1.RequestCounts, more v1.RequestCounts) {
	to.Requests += more.Requests
	to.Bad += more.Bad
}

// increaseSince returns the counts since the earlier counters. Where the instances have
// changed, new ones count from zero, the counts of others are unknown, and complete is
// false.
func (m Metric) increaseSince(was *v1.CountersStatus, end time.Time, c Counters, limit float64) (out v1.RequestCounts, complete bool) {
	if was != nil && was.By == c.By {
		is := m.countersFor(c, limit)
		out = v1.RequestCounts{Requests: is.Requests - was.Requests, Bad: is.Bad - was.Bad}
		if out.Requests < 0 || out.Bad < 0 {
			return v1.RequestCounts{}, false // Something else was reset.
		}
		out.Bad = min(out.Bad, out.Requests)
		return out, true
	}
	for _, one := range c.Instances {
		if one.Started.After(end) {
			addCounts(&out, m.countRequests(one, limit))
		}
	}
	return out, false
}

// hasBound reports whether every instance that has counted a latency has this bound.
func (c Counters) hasBound(bound float64) bool {
	return !slices.ContainsFunc(c.Instances, func(one InstanceCounters) bool {
		return len(one.Buckets) > 0 && !slices.ContainsFunc(one.Buckets, func(b Bucket) bool { return b.Bound == bound })
	})
}

// findLimit returns the least bound that all instances have and that is not below a limit;
// false where nothing was counted yet. It is infinite where no bound is high enough.
func findLimit(want float64, all ...Counters) (float64, bool) {
	out, found := math.Inf(1), false
	for _, c := range all {
		for _, one := range c.Instances {
			found = found || len(one.Buckets) > 0
			for _, b := range one.Buckets {
				shared := !slices.ContainsFunc(all, func(other Counters) bool { return !other.hasBound(b.Bound) })
				if b.Bound >= want && b.Bound < out && shared {
					out = b.Bound
				}
			}
		}
	}
	return out, found
}

// quantileTime returns the time in seconds that a share q of all requests took at most,
// interpolated within a bucket as Prometheus does; false where none was counted, or it
// lies beyond the last bound.
func (c Counters) quantileTime(q float64) (float64, bool) {
	buckets := c.sumBuckets()
	if len(buckets) < 2 || buckets[len(buckets)-1].Count == 0 {
		return 0, false
	}
	rank := q * float64(buckets[len(buckets)-1].Count)
	at := slices.IndexFunc(buckets, func(b Bucket) bool { return float64(b.Count) >= rank })
	if at == len(buckets)-1 {
		return 0, false
	}
	low := Bucket{}
	if at > 0 {
		low = buckets[at-1]
	}
	if buckets[at].Count == low.Count {
		return buckets[at].Bound, true
	}
	return low.Bound + (buckets[at].Bound-low.Bound)*(rank-float64(low.Count))/float64(buckets[at].Count-low.Count), true
}

// sumBuckets adds up the buckets of the instances that have the bounds of the first one.
func (c Counters) sumBuckets() []Bucket {
	var out []Bucket
	for _, one := range c.Instances {
		switch {
		case len(one.Buckets) == 0:
		case out == nil:
			out = slices.Clone(one.Buckets)
		case slices.EqualFunc(out, one.Buckets, func(a, b Bucket) bool { return a.Bound == b.Bound }):
			for i := range out {
				out[i].Count += one.Buckets[i].Count
			}
		}
	}
	return out
}
