package rollout

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	v1 "gati.dev/gati/api/v1"
)

// Counters are the counts of a workload's pods, or of the gateway for it, at one time.
type Counters struct {
	// Known reports whether at least half of the instances were read. Message is the reason
	// where not all were.
	Known   bool
	Message string
	// At is up to when they are complete.
	At        time.Time
	Instances []InstanceCounters
}

// NewCounters returns the counters of instances, some of which may be unread for a reason.
func NewCounters(at time.Time, instances []InstanceCounters, why string) Counters {
	read := 0
	for _, one := range instances {
		if !one.Unread {
			read++
		}
	}
	out := Counters{Known: 2*read >= len(instances), At: at, Instances: instances}
	if read < len(instances) {
		out.Message = fmt.Sprintf("%d of %d pods could be read: %s", read, len(instances), why)
	}
	return out
}

// InstanceCounters are those of one process, from its start.
type InstanceCounters struct {
	// ID names the process and its source: with another one the counters begin at zero.
	ID      string
	Started time.Time
	// Unread reports whether the process runs and could not be read this time.
	Unread           bool
	Requests, Errors int64
	// InFlight is how many requests have no answer yet.
	InFlight int64
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

// maxGroups bounds what the status holds of the counters. With more instances than that, a
// change of one costs a group of them its part of an interval.
const maxGroups = 64

// counterGroup has the sum of instances that are counted as one.
type counterGroup struct {
	v1.InstanceCounts
	// started is when the first of them did.
	started time.Time
}

// groupInstances returns the counters by a hash of the instances that they are of.
func (m Metric) groupInstances(c Counters, limit float64) map[string]counterGroup {
	members := map[string][]InstanceCounters{}
	for _, one := range c.Instances {
		key := hashID(one.ID)
		if len(c.Instances) > maxGroups {
			first, _ := strconv.ParseUint(key, 16, 64)
			key = strconv.FormatUint(first%maxGroups, 10)
		}
		members[key] = append(members[key], one)
	}
	out := map[string]counterGroup{}
	for _, all := range members {
		group, ids := counterGroup{started: all[0].Started}, []string{}
		for _, one := range all {
			n := m.countRequests(one, limit)
			group.Requests += n.Requests
			group.Bad += n.Bad
			group.InFlight += one.InFlight
			group.Unread = group.Unread || one.Unread
			if one.Started.Before(group.started) {
				group.started = one.Started
			}
			ids = append(ids, one.ID)
		}
		slices.Sort(ids)
		out[hashID(ids...)] = group
	}
	return out
}

func hashID(ids ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(ids, "\n")))
	return hex.EncodeToString(sum[:4])
}

// increase is what instances have counted between two readings.
type increase struct {
	v1.RequestCounts
	// hung are the requests that were in flight all the time, each counted once.
	hung int64
	// isWhole is false where something was dropped, or is of an earlier interval.
	isWhole bool
}

// withHung returns the requests with those that hung, as bad ones. Long answers and open
// streams hang as well, so they are held against a version only beside those of another.
func (n increase) withHung() v1.RequestCounts {
	return v1.RequestCounts{Requests: n.Requests + n.hung, Bad: n.Bad + n.hung}
}

// increaseSince returns the counters now, and the requests since earlier ones that ended at a
// time. Each instance counts by itself: a new one from zero, one that went no more, and one
// that could not be read with its next reading. What began again within an instance, or was
// not known before, is dropped.
func (m Metric) increaseSince(was *v1.CountersStatus, end time.Time, c Counters, limit float64) (*v1.CountersStatus, increase) {
	is, n := &v1.CountersStatus{Instances: map[string]v1.InstanceCounts{}}, increase{isWhole: true}
	for key, now := range m.groupInstances(c, limit) {
		before, known := v1.InstanceCounts{}, false
		if was != nil {
			before, known = was.Instances[key]
		}
		countable := known || now.started.After(end)
		switch {
		case now.Unread && countable:
			before.Unread = true
			is.Instances[key] = before
			continue
		case now.Unread:
			continue
		case !countable || now.Requests < before.Requests || now.Bad < before.Bad:
			n.isWhole = false
		default:
			n.isWhole = n.isWhole && !before.Unread
			requests := now.Requests - before.Requests
			n.Requests += requests
			n.Bad += min(requests, now.Bad-before.Bad)
			// No more of those in flight then have been answered than all that were.
			now.Hung = min(max(0, before.InFlight-requests), now.InFlight)
			n.hung += max(0, now.Hung-before.Hung)
		}
		is.Instances[key] = now.InstanceCounts
	}
	return is, n
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
