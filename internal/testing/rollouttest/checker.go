package rollouttest

import (
	"fmt"
	"strings"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// Checker holds decisions to what the machine promises. It remembers what it has
// seen for itself.
type Checker struct {
	sequences map[string]int64
	handled   map[string]bool
	// target is the subject of the books below.
	target    string
	steppedAt map[int32]time.Time
	passed    map[int32]bool
	promotes  int
	restarts  restartBook
	reference int32
	// rejected holds until intent changes.
	rejected map[string]bool
	intent   string
	admitted map[string]time.Time
	zeroAt   map[string]time.Time
	warm     map[string]time.Time
	asked    map[string]bool
	// unserved are the workloads that began under the eyes of the checker, and of
	// which no pod was seen ready since.
	unserved map[string]bool
	// toldAt is up to when each workload was measured. The rest is about the analysis
	// of the target.
	toldAt    map[string]time.Time
	failedAt  map[time.Time]bool
	spaced    int32
	countedAt time.Time
	heldAt    map[int32]time.Time
	// waiting is since when the gateway has owed an answer to the same weights, or the
	// cluster pods; short is since when the pods of an in-place rollout have made no
	// progress. latest is the latest time that was ever seen.
	waiting, short, latest time.Time
	// lost is since when versions of a rollout by steps have had traffic and no ready pod.
	lost    map[string]time.Time
	inPlace inPlaceProgress
}

// NewChecker returns a checker that has seen nothing.
func NewChecker() *Checker {
	c := &Checker{sequences: map[string]int64{}, handled: map[string]bool{}}
	c.Wiped()
	return c
}

// Wiped reports whether the status was lost: what rested on it is forgotten.
func (c *Checker) Wiped() {
	c.target, c.steppedAt, c.passed, c.promotes = "", map[int32]time.Time{}, map[int32]bool{}, 0
	c.rejected, c.admitted, c.zeroAt = map[string]bool{}, map[string]time.Time{}, map[string]time.Time{}
	c.warm, c.asked, c.reference, c.unserved = map[string]time.Time{}, map[string]bool{}, 0, map[string]bool{}
	c.toldAt, c.heldAt, c.failedAt, c.spaced, c.countedAt = map[string]time.Time{}, map[int32]time.Time{}, map[time.Time]bool{}, 0, time.Time{}
	c.waiting, c.short, c.lost, c.inPlace = time.Time{}, time.Time{}, map[string]time.Time{}, inPlaceProgress{}
}

// look is one decision with what led to it.
type look struct {
	in    rollout.Input
	d     rollout.Decision
	world *Cluster
	was   map[string]v1.VersionStatus
	is    map[string]v1.VersionStatus
}

// promises are what every decision must keep.
var promises = []struct {
	name string
	held func(*Checker, look) error
}{
	{"weights sum to the whole", (*Checker).checkWeightSum},
	{"a route has room for every share", (*Checker).checkRouteRoom},
	{"the reason is a sentence", (*Checker).checkReason},
	{"versions keep their place", (*Checker).checkSequence},
	{"versions are forgotten when nothing needs them", (*Checker).checkHistory},
	{"a weight is raised only with ready pods", (*Checker).checkRaises},
	{"covering capacity stays", (*Checker).checkCapacity},
	{"what is declared loses no weight without a reason", (*Checker).checkKeptWeight},
	{"no step before its pause and gates", (*Checker).checkSteps},
	{"a failure goes back", (*Checker).checkFailures},
	{"what goes back has failed", (*Checker).checkCauses},
	{"a fault of the cluster is reported", (*Checker).checkSilence},
	{"what serves is reached", (*Checker).checkServed},
	{"what is down gives its traffic away", (*Checker).checkLost},
	{"what crashes loses its traffic at once", (*Checker).checkCrashed},
	{"a RollingUpdate without progress goes back", (*Checker).checkInPlace},
	{"a rejection is remembered", (*Checker).checkRejections},
	{"nothing moves while frozen", (*Checker).checkFreezes},
	{"an invalid spec raises nothing", (*Checker).checkInvalid},
	{"a running rollout can be taken back", (*Checker).checkAnswers},
	{"nothing goes that must stay", (*Checker).checkKept},
	{"a version that is called by header stays", (*Checker).checkColdVersions},
	{"what was stable before is kept warm", (*Checker).checkWarmReplicas},
	{"the target of steps has its spare pods", (*Checker).checkSparePods},
	{"measurements are counted", (*Checker).checkAnalysis},
	{"the front follows what is accepted", (*Checker).checkFront},
	{"a request is handled once", (*Checker).checkRequests},
	{"a share by pods is said as it is", (*Checker).checkSaidShares},
	{"a rollback goes where it says", (*Checker).checkRollbacks},
	{"checks pass first", (*Checker).checkChecks},
	{"what is held takes no traffic and stays", (*Checker).checkHolds},
	{"every version with traffic serves the contract", (*Checker).checkContract},
	{"pods hold their transformers before they get more traffic", (*Checker).checkReports},
	{"clients are let go before the contract moves", (*Checker).checkKeptConnections},
}

// Check returns the first promise that a decision breaks.
func (c *Checker) Check(in rollout.Input, d rollout.Decision, world *Cluster) error {
	if d.Undecided {
		return nil
	}
	l := look{in: in, d: d, world: world, was: byWorkload(in.State.Versions), is: byWorkload(d.Versions)}
	for _, p := range promises {
		if err := p.held(c, l); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// byWorkload finds what runs. In place, a version before has no workload of its
// own.
func byWorkload(versions []v1.VersionStatus) map[string]v1.VersionStatus {
	out := map[string]v1.VersionStatus{}
	for _, v := range versions {
		if v.Workload == "" || v.Phase == v1.VersionDecommissioned {
			continue
		}
		if have, ok := out[v.Workload]; ok && have.Weight >= v.Weight {
			continue
		}
		out[v.Workload] = v
	}
	return out
}

func (c *Checker) checkWeightSum(l look) error {
	var sum int32
	for _, v := range l.d.Versions {
		sum += v.Weight
	}
	if sum != 100 {
		return fmt.Errorf("the weights add up to %d", sum)
	}
	sum = 0
	for _, p := range l.d.Workloads {
		if p.Weight > 0 || l.d.Rollout.Mode != v1.RolloutInPlace {
			sum += p.Weight
		}
	}
	if sum != 100 {
		return fmt.Errorf("the weights of the plan add up to %d", sum)
	}
	return nil
}

// checkRouteRoom: the API server refuses a route whose rule has more than 16 backends.
func (c *Checker) checkRouteRoom(l look) error {
	n := 0
	for _, p := range l.d.Workloads {
		if p.Weight > 0 {
			n++
		}
	}
	if l.in.Policy.Gateway && n > 16 {
		return fmt.Errorf("%d versions have a share", n)
	}
	return nil
}

func (c *Checker) checkReason(l look) error {
	if !strings.HasSuffix(l.d.Reason, ".") {
		return fmt.Errorf("%q", l.d.Reason)
	}
	if l.d.After < 0 || l.d.After > 0 && l.d.After > 30*24*time.Hour {
		return fmt.Errorf("it looks again after %s", l.d.After)
	}
	return nil
}

func (c *Checker) checkSequence(l look) error {
	taken := map[int64]string{}
	for _, v := range l.d.Versions {
		if have, ok := c.sequences[v.Version]; ok && have != v.Sequence {
			return fmt.Errorf("%s had place %d and now %d", v.Version, have, v.Sequence)
		}
		if other, ok := taken[v.Sequence]; ok && other != v.Version {
			return fmt.Errorf("%s and %s have place %d", other, v.Version, v.Sequence)
		}
		taken[v.Sequence] = v.Version
	}
	if len(l.d.Versions) > 512 {
		return fmt.Errorf("%d versions, more than the CRD takes", len(l.d.Versions))
	}
	return nil
}

// checkRaises: a weight beyond what ready pods carry, of which the gateway has heard, comes
// only from where no pod is ready at all.
func (c *Checker) checkRaises(l look) error {
	if !l.in.Policy.Gateway || l.in.State.Rollout == nil || l.in.State.Rollout.Phase == v1.RolloutStarting || l.d.Rollout.Mode == v1.RolloutInPlace {
		return nil
	}
	r := c.neededPods(l)
	var dead, beyond int32
	for w, was := range l.was {
		if seen, ok := l.in.Workloads[w]; ok && seen.Ready == 0 {
			dead += max(0, was.Weight-l.is[w].Weight)
		}
	}
	for w, is := range l.is {
		if is.Weight <= l.was[w].Weight || r == 0 {
			continue
		}
		seen, ok := l.in.Workloads[w]
		if !ok {
			return fmt.Errorf("%s is raised to %d %% unseen", w, is.Weight)
		}
		carried := max((seen.Ready-seen.Settling)*100/r, l.was[w].Weight)
		if more := is.Weight - carried; more > 0 {
			beyond += more
			if seen.Ready == 0 || beyond > dead {
				return fmt.Errorf("%s is raised from %d %% to %d %% with %d of %d pods ready, %d of them only just", w, l.was[w].Weight, is.Weight, seen.Ready, r, seen.Settling)
			}
		}
	}
	return nil
}

// neededPods is how many pods carry all traffic: never fewer than the machine sampled
// before, while something is going on.
func (c *Checker) neededPods(l look) int32 {
	r := l.in.Policy.Replicas
	if l.in.Policy.Autoscaled {
		r = 0
	}
	if l.in.State.Rollout != nil && l.in.State.Rollout.ReferenceReplicas != nil {
		r = max(r, *l.in.State.Rollout.ReferenceReplicas)
	}
	if l.d.Rollout.ReferenceReplicas != nil && l.in.Policy.Autoscaled {
		r = max(r, *l.d.Rollout.ReferenceReplicas)
	}
	return r
}

// checkCapacity: what may be getting traffic keeps the pods for it.
func (c *Checker) checkCapacity(l look) error {
	if l.d.Rollout.Mode == v1.RolloutInPlace {
		return nil
	}
	planned := map[string]int32{}
	for _, p := range l.d.Workloads {
		planned[p.Workload] = p.Replicas
	}
	r := int32(0)
	if ref := l.d.Rollout.ReferenceReplicas; ref != nil {
		r = *ref
	} else if !l.in.Policy.Autoscaled {
		r = l.in.Policy.Replicas
	}
	if l.in.Policy.Gateway {
		return c.checkRouteCapacity(l, planned, r)
	}
	return checkSplitCapacity(l, planned, r)
}

func (c *Checker) checkRouteCapacity(l look, planned map[string]int32, r int32) error {
	for name, w := range l.world.workloads {
		exposed := l.world.Exposed(name)
		if need := (exposed*r + 99) / 100; planned[name] < min(need, w.wanted) {
			return fmt.Errorf("%s may get %d %% and keeps %d pods of %d", name, exposed, planned[name], need)
		}
		since, warm := c.warm[name]
		asked := c.asked[l.was[name].Version] || c.hasRequest(l, request.Decommission)
		warm = warm && l.in.Now.Before(since.Add(l.in.Policy.RollbackWindow)) && !asked
		if warm && planned[name] < min(w.wanted, r) {
			return fmt.Errorf("%s keeps %d pods of %d within the rollback window", name, planned[name], r)
		}
	}
	ro := l.d.Rollout
	busy := ro.Phase == v1.RolloutProgressing || ro.Phase == v1.RolloutRollingBack || ro.Phase == v1.RolloutFailed
	if busy && l.in.Policy.Strategy == v1.StrategyCanary {
		if stable := ro.Stable.Workload; planned[stable] < max(r, c.reference) {
			return fmt.Errorf("stable %s keeps %d pods of %d", stable, planned[stable], max(r, c.reference))
		}
	}
	return nil
}

func checkSplitCapacity(l look, planned map[string]int32, r int32) error {
	var before, after int32
	for name, seen := range l.in.Workloads {
		before += seen.Ready
		after += min(seen.Ready, planned[name])
	}
	if after < min(before, r) {
		return fmt.Errorf("%d of %d ready pods stay, %d carry the traffic", after, before, r)
	}
	return nil
}

func isAccepted(l look) bool { return isAcceptedAs(l, l.is) }

// isAcceptedAs reports whether weights are what the gateway has accepted.
func isAcceptedAs(l look, weights map[string]v1.VersionStatus) bool {
	if !l.in.Policy.Gateway {
		if l.d.Rollout.Target == nil {
			return true
		}
		name := l.d.Rollout.Target.Workload
		seen, ok := l.in.Workloads[name]
		return ok && seen.Ready >= l.is[name].Replicas
	}
	if !l.in.Route.Exists {
		return false
	}
	for name, v := range weights {
		if l.in.Route.Weights[name] != v.Weight {
			return false
		}
	}
	generation := l.in.Route.Generation
	if l.in.State.Rollout != nil {
		generation = max(generation, l.in.State.Rollout.RouteGeneration)
	}
	for _, p := range l.in.Route.Parents {
		if !p.Claimed || !p.Accepted || !p.ResolvedRefs || p.ObservedGeneration < generation {
			return false
		}
	}
	return len(l.in.Route.Parents) > 0
}

// hasRequest reports whether the request of this look is new and of one of the verbs.
func (c *Checker) hasRequest(l look, verbs ...request.Verb) bool {
	if l.in.Request == nil || c.handled[l.in.Request.ID] {
		return false
	}
	for _, v := range verbs {
		if l.in.Request.Verb == v {
			return true
		}
	}
	return false
}

func (c *Checker) checkRequests(l look) error {
	n := 0
	for _, e := range l.d.Events {
		if e.Reason == "Requested" || e.Reason == "Refused" {
			n++
		}
	}
	fresh := l.in.Request != nil && !c.handled[l.in.Request.ID] && l.in.State.Rollout != nil
	if fresh != (n == 1) || n > 1 {
		return fmt.Errorf("the request is new: %v, it was handled %d times", fresh, n)
	}
	return nil
}
