package rollouttest

import (
	"fmt"
	"math"
	"time"

	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/rollout/simulate"
)

// Load is the traffic of the gateway, for metrics that count requests.
type Load struct {
	// PerSecond is the rate of all versions together.
	PerSecond float64
	// Bad is the share of bad requests by revision, Cold that of a process in its first
	// quarter of a minute.
	Bad  map[string]float64
	Cold float64
	// Hang is the share of requests that never have an answer, by revision, and Lost those that
	// never arrive.
	Hang, Lost map[string]float64
	// Slow is the share of requests that take longer than 100 ms, by revision; where nil,
	// nothing measures how long they take.
	Slow map[string]float64
	// Pods is how many processes share the requests of a workload; one at 0. PodsOf has
	// another number by revision.
	Pods   int
	PodsOf map[string]int
	// Silent lets the counters be unknown.
	Silent bool
	// Traffic is how requests come; evenly where nil.
	Traffic simulate.Traffic
}

// process has the counters of one process of a workload, which gets requests from serves on.
type process struct {
	started, serves time.Time
	// requests and bad have fractions, which later requests fill up.
	requests, bad float64
	// inFlight have no answer.
	inFlight float64
	// mute ones answer no reading.
	mute bool
}

// processesOf returns the processes of a workload.
func (c *Cluster) processesOf(w *workload) []process {
	pods, isOwn := c.Load.PodsOf[w.unit.Revision]
	if !isOwn {
		pods = max(1, c.Load.Pods)
	}
	for len(w.processes) < pods {
		w.processes = append(w.processes, process{started: c.machineTime()})
	}
	return w.processes
}

// countRequests lets the processes count the requests of the time that has gone by.
func (c *Cluster) countRequests(d time.Duration) {
	traffic := c.Load.Traffic
	if traffic == nil {
		traffic = simulate.Even
	}
	for _, name := range sorted(c.workloads) {
		w := c.workloads[name]
		all := c.processesOf(w)
		each := c.Load.PerSecond * float64(c.route.serving[name]) / 100 / float64(len(all))
		for i := range all {
			one := &all[i]
			hang := c.Load.Hang[w.unit.Revision]
			n := (1 - c.Load.Lost[w.unit.Revision]) * each * max(0, min(d, c.machineTime().Sub(one.serves))).Seconds()
			bad := c.Load.Bad[w.unit.Revision]
			if c.machineTime().Sub(one.serves) <= 15*time.Second {
				bad = max(bad, c.Load.Cold)
			}
			one.inFlight += n * hang
			requests, failed := traffic(n*(1-hang), bad)
			one.requests, one.bad = one.requests+requests, one.bad+failed
		}
	}
}

// Recount replaces a process of a workload, which gets requests some time later: its
// counters begin at zero.
func (c *Cluster) Recount(name string, pod int, startUp time.Duration) {
	started := c.machineTime().Add(time.Second)
	c.processesOf(c.workloads[name])[pod] = process{started: started, serves: started.Add(startUp)}
}

// Reset lets the counters of a process begin at zero although it goes on.
func (c *Cluster) Reset(name string, pod int) {
	one := &c.processesOf(c.workloads[name])[pod]
	one.requests, one.bad = 0, 0
}

// Mute lets a process answer no reading.
func (c *Cluster) Mute(name string, pod int) { c.processesOf(c.workloads[name])[pod].mute = true }

// Send sends so many requests more to a process, past the gateway.
func (c *Cluster) Send(name string, pod int, requests, bad float64) {
	one := &c.processesOf(c.workloads[name])[pod]
	one.requests, one.bad = one.requests+requests, one.bad+bad
}

// Counters returns what every workload has counted.
func (c *Cluster) Counters() map[string]rollout.Counters {
	if c.Load.PerSecond == 0 {
		return nil
	}
	out := map[string]rollout.Counters{}
	for name, w := range c.workloads {
		var all []rollout.InstanceCounters
		for i, one := range c.processesOf(w) {
			all = append(all, rollout.InstanceCounters{
				ID: fmt.Sprint(name, i, one.started.UnixNano()), Started: one.started, Unread: one.mute || c.Load.Silent,
				Requests: int64(math.Floor(one.requests)), Errors: int64(math.Floor(one.bad)), InFlight: int64(math.Floor(one.inFlight)),
				Buckets: c.Load.histogram(w.unit.Revision, one.requests),
			})
		}
		out[name] = rollout.NewCounters(c.machineTime(), all, "the source is down")
	}
	return out
}

// histogram returns the latencies of so many requests of a revision.
func (l Load) histogram(revision string, requests float64) []rollout.Bucket {
	if l.Slow == nil || requests < 1 {
		return nil
	}
	all, fast := int64(math.Floor(requests)), int64(math.Floor(requests*(1-l.Slow[revision])))
	return []rollout.Bucket{{Bound: 0.1, Count: fast}, {Bound: 0.125, Count: fast}, {Bound: 0.25, Count: all}, {Bound: math.Inf(1), Count: all}}
}
