package rollouttest

import (
	"maps"
	"math/rand"
	"slices"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// Quality is how the pods of a template behave.
type Quality int

// hearsay is how long the gateway takes to hear of a pod that is ready.
const hearsay = 3 * time.Second

// The qualities.
const (
	// Good pods become ready and stay so.
	Good Quality = iota
	// NeverReady pods do not come up.
	NeverReady
	// CrashLoop pods restart again and again.
	CrashLoop
	// Wrong pods are ready and answer wrongly: their analysis fails.
	Wrong
	// Unseen pods are good, and nothing is measured of them.
	Unseen
	// Few pods have so few requests that the one that fails says nothing.
	Few

	// qualities is how many there are.
	qualities = int(Few) + 1
)

// Cluster is the model.
type Cluster struct {
	Now time.Time
	// Qualities are by revision.
	Qualities map[string]Quality
	// StartUp is how long a pod takes to become ready, AcceptLag how long the
	// gateway takes for a write.
	StartUp, AcceptLag time.Duration
	// Refusing reports whether the gateway refuses, Unclaimed that there is none, Dead
	// that it answers no write any more.
	Refusing, Unclaimed, Dead bool
	// Full reports whether pods of no version find room.
	Full bool
	// Jammed reports whether no workload can be written, as when the webhook of another
	// project does not answer. A Reliable cluster takes every write, and shows
	// the status as it is stored.
	Jammed, Reliable bool
	// Source measures traffic. Callers is how seldom a client calls a version by its
	// header; 0 is never.
	Source  Source
	Callers int
	// Load is what metrics that count requests see; none at no rate.
	Load Load
	// Checks is what becomes of the Jobs of checks.
	Checks CheckOutcome
	// Holding is what pods report of their transformers, Told the contract of the file
	// that they have.
	Holding Holding
	Told    *v1.ContractStatus
	// Skew is how far the clock that the machine goes by is ahead.
	Skew time.Duration

	believed  map[string]rollout.Traffic
	workloads map[string]*workload
	checks    map[string]checkJob
	route     route
	random    *rand.Rand
}

type workload struct {
	unit     rollout.Unit
	wanted   int32
	pods     []pod
	restarts int32
	calls    calls
	measured []rollout.Measurement
	// processes count its requests.
	processes []process
	// stopped reports whether others have paused its Deployment: it starts no pods.
	stopped bool
}

type pod struct {
	readyAt time.Time
	sick    bool
}

type route struct {
	exists     bool
	weights    map[string]int32
	generation int64
	observed   int64
	writes     []write
	serving    map[string]int32
}

type write struct {
	at         time.Time
	generation int64
	weights    map[string]int32
}

// NewCluster returns an empty cluster.
func NewCluster(random *rand.Rand, now time.Time) *Cluster {
	return &Cluster{
		Now: now, random: random, Qualities: map[string]Quality{}, workloads: map[string]*workload{}, checks: map[string]checkJob{},
		StartUp: 20 * time.Second, AcceptLag: 2 * time.Second,
	}
}

// Pass lets time go by.
func (c *Cluster) Pass(d time.Duration) {
	c.Now = c.Now.Add(d)
	for _, w := range c.workloads {
		if c.Qualities[w.unit.Revision] == CrashLoop && len(w.pods) > 0 {
			w.restarts += int32(min(d/(20*time.Second), 1000))
		}
	}
	if !c.Full {
		for _, name := range c.findShort() {
			c.startPods(c.workloads[name])
		}
	}
	c.makeCalls(d)
	c.countRequests(d)
	c.serveWrites()
}

// serveWrites lets the gateway take the writes that it has had time for.
func (c *Cluster) serveWrites() {
	r := &c.route
	if c.Refusing || c.Unclaimed || c.Dead {
		return
	}
	for len(r.writes) > 0 && !c.Now.Before(r.writes[0].at.Add(c.AcceptLag)) {
		r.serving, r.observed = r.writes[0].weights, r.writes[0].generation
		r.writes = r.writes[1:]
	}
}

// Apply makes a decision real and returns the generation of the route. What cannot be
// written keeps nothing else from being written.
func (c *Cluster) Apply(d rollout.Decision, gateway bool) int64 {
	if d.Undecided {
		return c.route.generation
	}
	c.tellContract(d)
	if !c.Jammed {
		c.applyWorkloads(d)
		c.runChecks(d)
	}
	if gateway {
		c.writeRoute(weightsOf(d))
	} else {
		c.route = route{generation: c.route.generation}
	}
	return c.route.generation
}

func (c *Cluster) applyWorkloads(d rollout.Decision) {
	for _, p := range d.Workloads {
		w, ok := c.workloads[p.Workload]
		if !ok {
			w = &workload{}
			c.workloads[p.Workload] = w
		}
		if w.unit != p.Unit {
			w.unit, w.pods, w.restarts, w.measured = p.Unit, nil, 0, nil
		}
		w.scaleTo(c, p)
	}
	// A removal that could not be written is made up for.
	maps.DeleteFunc(c.workloads, func(name string, _ *workload) bool {
		return !slices.ContainsFunc(d.Workloads, func(p rollout.WorkloadPlan) bool { return p.Workload == name })
	})
}

func weightsOf(d rollout.Decision) map[string]int32 {
	weights := map[string]int32{}
	for _, p := range d.Workloads {
		weights[p.Workload] = p.Weight
	}
	return weights
}

func (w *workload) scaleTo(c *Cluster, p rollout.WorkloadPlan) {
	wanted := p.Replicas
	if !p.Exact {
		wanted = max(wanted, w.wanted) // The autoscaler has seen load before.
	}
	w.wanted = wanted
	if !c.Full {
		c.startPods(w)
	}
	// The Deployment's controller takes pods that are not ready first.
	for int32(len(w.pods)) > wanted {
		worst := len(w.pods) - 1
		for i := range w.pods {
			if !c.isReady(w, i) {
				worst = i
				break
			}
		}
		w.pods = append(w.pods[:worst], w.pods[worst+1:]...)
		w.calls.lost = true
	}
}

// startPods makes the pods that are missing.
func (c *Cluster) startPods(w *workload) {
	for int32(len(w.pods)) < w.wanted && !w.stopped {
		w.pods = append(w.pods, pod{readyAt: c.Now.Add(c.StartUp + time.Duration(c.random.Int63n(int64(10*time.Second))))})
	}
}

// findShort returns the workloads with fewer pods than they should have, in order.
func (c *Cluster) findShort() []string {
	var out []string
	for name, w := range c.workloads {
		if int32(len(w.pods)) < w.wanted {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// Restart adds restarts to the pods of a workload, which are ready again at once.
func (c *Cluster) Restart(name string, n int32) { c.workloads[name].restarts += n }

// Evict takes the pods of a workload away.
func (c *Cluster) Evict(name string) { c.workloads[name].pods = nil }

func (c *Cluster) isReady(w *workload, i int) bool {
	q := c.Qualities[w.unit.Revision]
	return q != NeverReady && q != CrashLoop && !w.pods[i].sick && !c.Now.Before(w.pods[i].readyAt)
}

func (c *Cluster) readyPods(w *workload) int32 {
	var n int32
	for i := range w.pods {
		if c.isReady(w, i) {
			n++
		}
	}
	return n
}

// settlingPods are the ready pods that the gateway has not heard of.
func (c *Cluster) settlingPods(w *workload) int32 {
	var n int32
	for i := range w.pods {
		if c.isReady(w, i) && c.Now.Before(w.pods[i].readyAt.Add(hearsay)) {
			n++
		}
	}
	return n
}

// writeRoute changes the route, if it says something else.
func (c *Cluster) writeRoute(weights map[string]int32) {
	r := &c.route
	if r.exists && maps.Equal(r.weights, weights) {
		return
	}
	r.exists, r.weights = true, weights
	r.generation++
	r.writes = append(r.writes, write{c.Now, r.generation, weights})
	if r.serving == nil {
		r.serving = weights
	}
}

// Observe returns what can be seen.
func (c *Cluster) Observe(names []string) (map[string]rollout.Workload, rollout.Route) {
	out := map[string]rollout.Workload{}
	for _, name := range names {
		out[name] = rollout.Workload{}
	}
	for _, name := range sorted(c.workloads) {
		w := c.workloads[name]
		ready := c.readyPods(w)
		seen := rollout.Workload{
			Exists: true, Unit: w.unit, Restarts: w.restarts, Traffic: c.readTraffic(w), Settling: c.settlingPods(w),
			Observation: rollout.Observation{Updated: w.wanted, Ready: ready, Wanted: w.wanted, Complete: int32(len(w.pods)) == w.wanted && ready == w.wanted},
		}
		if q := c.Qualities[w.unit.Revision]; q == NeverReady || q == CrashLoop {
			seen.Trouble = "CrashLoopBackOff: exit code 1"
		}
		seen.Reports = c.readReports(name, w)
		if c.Full && int32(len(w.pods)) < w.wanted && (seen.Trouble == "" || len(w.pods) == 0) {
			seen.Trouble, seen.Obstructed = "FailedCreate: exceeded quota", true
		}
		if w.stopped && int32(len(w.pods)) < w.wanted {
			seen.Trouble, seen.Obstructed = Stopped, true
		}
		out[name] = seen
	}
	r := rollout.Route{Exists: c.route.exists, Weights: maps.Clone(c.route.weights), Generation: c.route.generation}
	r.Parents = []rollout.Parent{{
		Name: "Gateway web", Claimed: !c.Unclaimed, ObservedGeneration: c.route.observed, Accepted: !c.Refusing, ResolvedRefs: true,
	}}
	if c.Refusing {
		r.Parents[0].ObservedGeneration, r.Parents[0].Message = c.route.generation, "NotAllowedByListeners"
	}
	return out, r
}

// Exposed is the most that a workload may be getting in percent: what the gateway
// serves, and every write that it may take at any moment.
func (c *Cluster) Exposed(name string) int32 {
	most := c.route.serving[name]
	for _, w := range c.route.writes {
		most = max(most, w.weights[name])
	}
	return most
}

// Wanted is how many pods a workload should have. Without any, no request is served at any weights.
func (c *Cluster) Wanted(name string) int32 {
	w, ok := c.workloads[name]
	if !ok {
		return 0
	}
	return w.wanted
}

// Hurt makes some pods of a workload fall ill, and Heal all well.
func (c *Cluster) Hurt() {
	for _, name := range sorted(c.workloads) {
		for i := range c.workloads[name].pods {
			if c.random.Intn(3) == 0 {
				c.workloads[name].pods[i].sick = true
			}
		}
	}
}

// Slip makes a few pods of each workload restart.
func (c *Cluster) Slip() {
	for _, name := range sorted(c.workloads) {
		c.Restart(name, int32(c.random.Intn(4)))
	}
}

// Stopped is what is said of a workload whose Deployment others have paused.
const Stopped = "DeploymentPaused: it is paused by jane"

// Stop pauses the Deployment of a workload, or resumes it.
func (c *Cluster) Stop(name string) {
	if w, ok := c.workloads[name]; ok {
		w.stopped = !w.stopped
	}
}

// Heal makes all pods well, and the gateway accept. It does not help a template
// that is bad.
func (c *Cluster) Heal() {
	c.Refusing, c.Unclaimed, c.Dead, c.Full, c.Jammed = false, false, false, false, false
	c.Holding = HoldsAll
	for _, w := range c.workloads {
		w.stopped = false
		for i := range w.pods {
			w.pods[i].sick = false
		}
	}
}
