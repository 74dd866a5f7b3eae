package rollouttest

import (
	"fmt"
	"math"
	"time"

	"gati.dev/gati/pkg/rollout"
)

// Load is the traffic of the gateway, for metrics that count requests.
type Load struct {
	// PerSecond is the rate of all versions together.
	PerSecond float64
	// Bad is the share of bad requests by revision.
	Bad map[string]float64
	// Silent lets the counters be unknown.
	Silent bool
}

// process has the counters of the one process that counts for a workload.
type process struct {
	started time.Time
	// requests and bad have fractions, which later requests fill up.
	requests, bad float64
}

// countRequests lets the processes count the requests of the time that has gone by.
func (c *Cluster) countRequests(d time.Duration) {
	for _, name := range sorted(c.workloads) {
		w := c.workloads[name]
		if w.process.started.IsZero() {
			w.process.started = c.machineTime()
		}
		n := c.Load.PerSecond * d.Seconds() * float64(c.route.serving[name]) / 100
		w.process.requests += n
		w.process.bad += n * c.Load.Bad[w.unit.Revision]
	}
}

// Recount restarts the process of a workload: its counters begin at zero.
func (c *Cluster) Recount(name string) {
	c.workloads[name].process = process{started: c.machineTime().Add(time.Second)}
}

// Counters returns what every workload has counted.
func (c *Cluster) Counters() map[string]rollout.Counters {
	if c.Load.PerSecond == 0 {
		return nil
	}
	out := map[string]rollout.Counters{}
	for name, w := range c.workloads {
		out[name] = rollout.Counters{
			Known: !c.Load.Silent, Message: "the source is down", At: c.machineTime(), By: fmt.Sprint(name, w.process.started.UnixNano()),
			Instances: []rollout.InstanceCounters{{
				Started: w.process.started, Requests: int64(math.Floor(w.process.requests)), Errors: int64(math.Floor(w.process.bad)),
			}},
		}
	}
	return out
}
