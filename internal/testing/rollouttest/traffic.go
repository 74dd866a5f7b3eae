package rollouttest

import (
	"time"

	"gati.dev/gati/pkg/rollout"
)

// Source is how well traffic is measured.
type Source int

// The sources.
const (
	// NoSource: nothing is configured.
	NoSource Source = iota
	// Honest tells at every look what there was since the look before.
	Honest
	// Silent never answers.
	Silent
	// Flaky answers sometimes: late, twice, in part, of too short a time, and against
	// what it said before.
	Flaky
	// Gateway sees one of the paths to the pods, and not the others.
	Gateway
	// NoMetrics is pods without metrics.
	NoMetrics
)

const sourceName = "prometheus"

// calls has the true requests to the pods of a workload, and the reported ones. Times
// are those of the clock that the machine goes by.
type calls struct {
	at []time.Time
	// underway is when a request that is being worked on will end.
	underway time.Time
	// lost reports whether pods went since the last reading.
	lost bool
	// told is up to when a reading was given out, last the last one.
	told time.Time
	last rollout.Traffic
}

// machineTime is the time that the machine goes by.
func (c *Cluster) machineTime() time.Time { return c.Now.Add(c.Skew) }

// makeCalls lets requests arrive in the time that has just gone by: all the time where
// there is weight, and now and then by header or past the gateway.
func (c *Cluster) makeCalls(d time.Duration) {
	now := c.machineTime()
	for _, name := range sorted(c.workloads) {
		w := c.workloads[name]
		if w.calls.underway.After(time.Time{}) && !w.calls.underway.After(now) {
			w.calls.at = append(w.calls.at, w.calls.underway)
			w.calls.underway = time.Time{}
		}
		if c.readyPods(w) == 0 {
			continue
		}
		if c.Exposed(name) > 0 || !c.route.exists {
			for i := range time.Duration(4) {
				w.calls.at = append(w.calls.at, now.Add(-d*i/4))
			}
		}
		if c.Callers > 0 && c.random.Intn(c.Callers) == 0 {
			w.calls.at = append(w.calls.at, now.Add(-time.Duration(c.random.Int63n(int64(d)+1))))
		}
		if c.random.Intn(8) == 0 && c.Callers > 0 {
			w.calls.underway = now.Add(time.Duration(c.random.Intn(1200)) * time.Second)
		}
		w.calls.forgetBefore(now.Add(-3 * time.Hour))
	}
}

func (l *calls) forgetBefore(before time.Time) {
	for len(l.at) > 64 && l.at[0].Before(before) {
		l.at = l.at[1:]
	}
}

// countBetween counts the requests after one moment and up to another.
func (l *calls) countBetween(from, to time.Time) int64 {
	var n int64
	for _, t := range l.at {
		if t.After(from) && !t.After(to) {
			n++
		}
	}
	return n
}

// CallsBetween counts what truly reached a workload.
func (c *Cluster) CallsBetween(name string, from, to time.Time) int64 {
	w, ok := c.workloads[name]
	if !ok {
		return 0
	}
	return w.calls.countBetween(from, to)
}

// Underway reports whether a workload is working on a request.
func (c *Cluster) Underway(name string) bool {
	w, ok := c.workloads[name]
	return ok && w.calls.underway.After(c.machineTime())
}

// readTraffic returns the source's current reading of a workload.
func (c *Cluster) readTraffic(w *workload) rollout.Traffic {
	switch c.Source {
	case NoSource:
		return rollout.Traffic{}
	case Silent:
		return rollout.Traffic{Source: sourceName, At: c.machineTime(), Message: "the source does not answer"}
	case Flaky:
		return c.readFlakily(w)
	case NoMetrics:
		if c.Now.Unix()%4 == 0 {
			return rollout.Traffic{Source: sourceName, Unproven: true} // Not asked by this process.
		}
		return rollout.Traffic{Source: sourceName, Unproven: true, At: c.machineTime(), Message: "404"}
	case Gateway:
		t := c.readHonestly(w, 0)
		t.Partial = true
		if c.random.Intn(2) == 0 {
			t.Requests, t.InFlight = 0, 0 // They came another way.
		}
		return t
	default:
		return c.readHonestly(w, 0)
	}
}

// readHonestly tells what there was since the last reading, lag ago.
func (c *Cluster) readHonestly(w *workload, lag time.Duration) rollout.Traffic {
	at := c.machineTime().Add(-lag)
	from := at.Add(-time.Minute)
	if !w.calls.told.IsZero() && w.calls.told.Before(from) {
		from = w.calls.told
	}
	t := rollout.Traffic{Source: sourceName, Known: true, From: from, At: at, Requests: w.calls.countBetween(from, at), Lost: w.calls.lost}
	if w.calls.underway.After(c.machineTime()) {
		t.InFlight = 1
	}
	w.calls.told, w.calls.last, w.calls.lost = at, t, false
	return t
}

// readFlakily is an honest source that is lost, late, repeated, forgetful or at odds with
// itself.
func (c *Cluster) readFlakily(w *workload) rollout.Traffic {
	switch c.random.Intn(9) {
	case 0:
		return rollout.Traffic{Source: sourceName} // No news.
	case 1:
		return rollout.Traffic{Source: sourceName, At: c.machineTime(), Message: "context deadline exceeded"}
	case 2:
		if !w.calls.last.At.IsZero() {
			return w.calls.last // Again.
		}
	case 3:
		return c.readHonestly(w, time.Duration(c.random.Intn(60))*time.Second) // Late.
	case 4:
		w.calls.told = time.Time{} // Of the last minute only: a gap.
	case 5:
		if t := w.calls.last; t.Requests > 0 && t == c.believed[w.unit.Revision] {
			t.Requests, t.InFlight = 0, 0 // No, there was none.
			return t
		}
	}
	return c.readHonestly(w, 0)
}

// Believe notes whose last reading was persisted: only what was taken in can be
// contradicted.
func (c *Cluster) Believe(in rollout.Input, persisted rollout.State) {
	c.believed = map[string]rollout.Traffic{}
	for _, v := range persisted.Versions {
		w, ok := c.workloads[v.Workload]
		if !ok || v.Evidence == nil || v.Evidence.LastRequest == nil {
			continue
		}
		given := in.Workloads[v.Workload].Traffic
		if given == w.calls.last && !v.Evidence.LastRequest.Time.Before(given.At.Truncate(time.Second)) {
			c.believed[v.Revision] = given
		}
	}
}
