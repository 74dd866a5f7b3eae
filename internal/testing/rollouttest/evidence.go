package rollouttest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// checkDrained: nothing reaches it any more, as far as anybody can tell. What truly
// reached it is known here, so a source may say what it likes.
func (c *Checker) checkDrained(l look, name string, was v1.VersionStatus) error {
	p, t := l.in.Policy, l.in.Workloads[name].Traffic
	if !p.Gateway {
		return nil
	}
	zero, known := c.zeroAt[name]
	if l.world.Exposed(name) > 0 && l.world.Wanted(name) > 0 {
		return fmt.Errorf("%s goes and may still get %d %%", name, l.world.Exposed(name))
	}
	if c.hasNeverServed(l, name) {
		return nil
	}
	hasNone := t.Unproven && !was.IsMeasured() && (!t.At.IsZero() || was.TrafficSource == v1.TrafficSourceNone)
	if t.Source == "" || t.Partial || hasNone {
		switch {
		case !known || l.in.Now.Sub(zero) < p.DrainDeadline:
			return fmt.Errorf("%s of %s goes %s into its drain", name, was.Version, l.in.Now.Sub(zero))
		case t.Requests > 0 || t.InFlight > 0:
			return fmt.Errorf("%s of %s goes, and is called through the gateway", name, was.Version)
		}
		return nil
	}
	at, err := c.checkUncalled(l, name, p.DrainWindow, 3*p.SampleEvery()+15*time.Second)
	switch {
	case err != nil:
		return fmt.Errorf("%s of %s goes: %w", name, was.Version, err)
	case !known || at.Sub(zero) < p.DrainWindow:
		return fmt.Errorf("%s of %s goes, measured up to %s into its drain", name, was.Version, at.Sub(zero))
	case t.Known && t.At.Equal(l.in.Now) && l.world.Underway(name):
		return fmt.Errorf("%s of %s goes and is working on a request", name, was.Version)
	}
	return nil
}

// hasNeverServed reports whether no pod of a workload was ever seen ready, nor is now.
func (c *Checker) hasNeverServed(l look, name string) bool {
	seen, ok := l.in.Workloads[name]
	return c.unserved[name] && ok && !hasServed(seen)
}

func hasServed(w rollout.Workload) bool {
	return w.Ready > 0 || w.Traffic.Requests > 0 || w.Traffic.InFlight > 0
}

// persistServed takes in which workloads began, and which of them have served.
func (c *Checker) persistServed(l look) {
	for name := range l.is {
		seen, ok := l.in.Workloads[name]
		if _, there := l.was[name]; !there {
			c.unserved[name] = ok && !seen.Exists
		}
		if ok && hasServed(seen) {
			delete(c.unserved, name)
		}
	}
}

// checkUncalled holds that a workload was measured lately, and that up to then it was not called for a time. It returns up to when.
func (c *Checker) checkUncalled(l look, name string, length, stale time.Duration) (time.Time, error) {
	at := c.toldAt[name]
	if t := l.in.Workloads[name].Traffic; t.Known && t.At.After(at) {
		at = t.At
	}
	if at.IsZero() || l.in.Now.Sub(at) > stale+time.Second {
		return at, fmt.Errorf("it was last measured %s ago", l.in.Now.Sub(at))
	}
	if n := l.world.CallsBetween(name, at.Add(-length), at); n > 0 {
		return at, fmt.Errorf("it had %d requests within %s", n, length)
	}
	return at, nil
}

// checkColdVersions: a version that lives by its header alone leaves only when it was not called for long, by evidence.
func (c *Checker) checkColdVersions(l look) error {
	if !l.in.Policy.Gateway || l.in.Policy.Strategy != v1.StrategyCanary || l.in.State.Rollout == nil {
		return nil
	}
	for name, is := range l.is {
		was, rec := l.was[name], l.in.Records[is.Version]
		asked := c.asked[is.Version] || c.hasRequest(l, request.Decommission) || is.DecommissionedBy != ""
		twice := 0
		for _, v := range l.is {
			if v.Revision == is.Revision {
				twice++
			}
		}
		if !c.isHeld(l, is.Version) || rec.Inactive || asked || twice > 1 || was.Phase != v1.VersionActive || is.Phase != v1.VersionDraining {
			continue
		}
		if err := c.checkCold(l, name); err != nil {
			return fmt.Errorf("%s is cold: %w", name, err)
		}
	}
	return nil
}

// checkCold holds that a version was not called for long, and that this was measured.
func (c *Checker) checkCold(l look, name string) error {
	if t := l.in.Workloads[name].Traffic; t.Source == "" || t.Partial || t.Unproven {
		return fmt.Errorf("nothing measures it")
	}
	_, err := c.checkUncalled(l, name, l.in.Policy.ColdAfter, 3*l.in.Policy.WatchEvery()+15*time.Second)
	return err
}

// checkWarmReplicas: what was stable before keeps the pods that the spec asks for.
func (c *Checker) checkWarmReplicas(l look) error {
	was, is := l.in.State.Rollout, l.d.Rollout
	p := l.in.Policy
	if p.Warm == 0 || !p.Gateway || was == nil || was.Previous == nil || is.Previous == nil || *was.Previous != *is.Previous || is.Mode == v1.RolloutInPlace {
		return nil
	}
	before, there := l.was[is.Previous.Workload]
	rec := l.in.Records[is.Previous.Version]
	if !there || before.Version != is.Previous.Version || before.RevisionNumber != is.Previous.RevisionNumber || rec.Inactive || before.DecommissionedBy != "" || c.hasRequest(l, request.Decommission) {
		return nil
	}
	at := slices.IndexFunc(l.d.Workloads, func(w rollout.WorkloadPlan) bool { return w.Workload == is.Previous.Workload })
	if at < 0 || l.d.Workloads[at].Replicas < p.Warm && *is.Previous != *is.Stable {
		return fmt.Errorf("%s was stable before and does not keep %d pods", is.Previous.Workload, p.Warm)
	}
	return nil
}

// checkSparePods: the target of steps has the pool beyond what its weight needs, up to what
// all traffic needs, and the status names it.
func (c *Checker) checkSparePods(l look) error {
	ro, want := l.d.Rollout, int32(0)
	if ro.Mode == v1.RolloutSteps && ro.Phase == v1.RolloutProgressing && ro.Target != nil && ro.ReferenceReplicas != nil && l.in.Policy.Gateway {
		at := slices.IndexFunc(l.d.Workloads, func(w rollout.WorkloadPlan) bool { return w.Workload == ro.Target.Workload })
		if at < 0 {
			return nil
		}
		all, w := *ro.ReferenceReplicas, l.d.Workloads[at]
		if want = ro.SparePods; w.Replicas < min(all, (w.Weight*all+99)/100+l.in.Policy.Pool) {
			return fmt.Errorf("%s at %d %% of %d has %d pods with a pool of %d", w.Workload, w.Weight, all, w.Replicas, l.in.Policy.Pool)
		}
		if want > l.in.Policy.Pool || want > 0 && w.Replicas > all {
			return fmt.Errorf("%d spare pods of %d, %d carry all traffic, the pool is %d", want, w.Replicas, all, l.in.Policy.Pool)
		}
	}
	if ro.SparePods != want {
		return fmt.Errorf("%d spare pods without a rollout in steps", ro.SparePods)
	}
	return nil
}

// checkAnalysis: a rollout is taken back for what was measured of it, often enough, and
// for nothing else.
func (c *Checker) checkAnalysis(l look) error {
	p, was := l.in.Policy.Analysis, l.in.State.Rollout
	if p == nil || was == nil || was.Target == nil || was.Mode != v1.RolloutSteps || l.in.Policy.Strategy != v1.StrategyCanary || was.Intent != l.in.Intent {
		return nil
	}
	quality := l.world.Qualities[was.Target.Revision]
	for _, e := range l.d.Events {
		if e.Reason != "RolledBack" || !strings.Contains(e.Message, metricName) {
			continue
		}
		silent := strings.Contains(e.Message, "no data")
		switch {
		case silent && p.NoData != v1.NoDataFail:
			return fmt.Errorf("missing data count as failed: %s", e.Message)
		case silent && (was.Frozen != nil && !c.hasRequest(l, request.Resume, request.Promote) || !c.hasHadItsPause(l, was)):
			return fmt.Errorf("the time in which it was frozen counts: %s", e.Message)
		case !silent && quality != Wrong:
			return fmt.Errorf("it was well: %s", e.Message)
		case !silent && c.countFailing(l) < p.FailureLimit:
			return fmt.Errorf("%d measurements failed of %d: %s", c.countFailing(l), p.FailureLimit, e.Message)
		}
	}
	return nil
}

// hasHadItsPause reports whether the present step has lasted for its pause.
func (c *Checker) hasHadItsPause(l look, was *v1.RolloutStatus) bool {
	weight := l.was[was.Target.Workload].Weight
	at, known := c.steppedAt[weight]
	for _, s := range l.steps() {
		if s.Weight == weight {
			return known && l.in.Now.Sub(at) >= s.Pause
		}
	}
	return true
}

// countFailing counts the measurements of the target that failed, with the one of this
// look: no fewer than the machine can have counted.
func (c *Checker) countFailing(l look) int32 {
	n := len(c.failedAt)
	if at, failed := c.failedNow(l); failed && !c.failedAt[at] {
		n++
	}
	return int32(n)
}

// failedNow reports whether the measurement of this look has failed, and its time.
func (c *Checker) failedNow(l look) (time.Time, bool) {
	p, target := l.in.Policy.Analysis, l.d.Rollout.Target // After a lost status it is found, and judged, in one look.
	if was := l.in.State.Rollout; was != nil {
		target = was.Target
	}
	if p == nil || target == nil || len(l.in.Measurements) == 0 || l.in.Measurements[0].Of != target.Workload {
		return time.Time{}, false
	}
	m := l.in.Measurements[0]
	bad := m.Known && m.Samples != nil && *m.Samples >= p.MinSamples && m.Value < 98
	return m.At, bad
}

// isOverdue reports whether enough measurements in a row have failed: each
// as far from the one before as the interval asks for.
func (c *Checker) isOverdue(l look) bool {
	p := l.in.Policy.Analysis
	if l.in.State.Rollout.Mode != v1.RolloutSteps || l.in.Policy.Strategy != v1.StrategyCanary || p.PerStep || l.was[c.target].Weight == 0 {
		return false
	}
	started := l.in.State.Rollout.StartedAt
	if started != nil && len(l.in.Measurements) > 0 && l.in.Measurements[0].At.Before(started.Time) {
		return false // The clock went back.
	}
	if c.isTooNear(l) {
		return false
	}
	_, failed := c.checkFresh(l, spacing(p)+2*time.Second)
	return failed && !c.hasRequest(l, request.Promote) && c.spaced+1 >= p.FailureLimit
}

// spacing is how far measurements of a query must be apart to count both.
func spacing(p *rollout.AnalysisPolicy) time.Duration { return max(p.Interval, p.Window) }

// isTooNear reports whether the measurement of this look is too near to the one that the
// status tells of, before a jump of the clock or after it, for both to count.
func (c *Checker) isTooNear(l look) bool {
	counted := l.in.State.Rollout.Analysis
	if len(counted) == 0 || counted[0].MeasuredAt == nil || len(l.in.Measurements) == 0 {
		return false
	}
	return l.in.Measurements[0].At.Sub(counted[0].MeasuredAt.Time).Abs() < spacing(l.in.Policy.Analysis)+2*time.Second
}

// checkFresh reports whether the measurement of this look is another one than the last, by
// more than slack, and whether it has failed.
func (c *Checker) checkFresh(l look, slack time.Duration) (fresh, failed bool) {
	p, was := l.in.Policy.Analysis, l.in.State.Rollout
	if p == nil || was == nil || was.Target == nil || len(l.in.Measurements) == 0 {
		return false, false
	}
	m := l.in.Measurements[0]
	again := !c.countedAt.After(l.in.Now) && !m.At.After(c.countedAt.Add(slack)) // Unless the clock went back.
	if m.Of != was.Target.Workload || again {
		return false, false
	}
	_, bad := c.failedNow(l)
	return true, bad
}

// checkProven: what is measured must have held at a step that is left.
func (c *Checker) checkProven(l look, name string, was int32) error {
	p := l.in.Policy.Analysis
	if p == nil || p.Metrics[0].Kind != rollout.Query {
		return nil
	}
	at, measured := c.heldAt[was]
	failed := slices.ContainsFunc(l.d.Rollout.Analysis, func(s v1.MetricStatus) bool { return s.Verdict == v1.AnalysisFail })
	switch quality := l.world.Qualities[l.was[name].Revision]; {
	case p.NoData == v1.NoDataPass && !failed:
		return nil
	case quality == Wrong:
		return fmt.Errorf("%s leaves %d %% although its answers are wrong", name, was)
	case (quality == Unseen || quality == Few) && !measured: // It may have become so since.
		return fmt.Errorf("%s leaves %d %% without data", name, was)
	case c.isGoodAfter(l, c.steppedAt[was]):
		return nil
	case !measured:
		return fmt.Errorf("%s leaves %d %% and was not measured there", name, was)
	case !at.After(c.steppedAt[was]):
		return fmt.Errorf("%s leaves %d %% and was measured before it only", name, was)
	}
	return nil
}

// isGoodAfter reports whether the measurement of this look is a good one of the target,
// and from after a moment. It may have come before: a look that was not persisted, or a
// reading without a value since then, takes nothing from it.
func (c *Checker) isGoodAfter(l look, moment time.Time) bool {
	was := l.in.State.Rollout
	if was == nil || was.Target == nil || len(l.in.Measurements) == 0 {
		return false
	}
	m := l.in.Measurements[0]
	_, failed := c.failedNow(l)
	return m.Of == was.Target.Workload && m.At.After(moment) && !failed && m.Known && m.Samples != nil && *m.Samples >= l.in.Policy.Analysis.MinSamples
}

// persistEvidence takes in what was measured, where it was written down.
func (c *Checker) persistEvidence(l look) {
	for name, at := range c.toldAt {
		if at.After(l.in.Now) {
			delete(c.toldAt, name)
		}
	}
	for name, w := range l.in.Workloads {
		if w.Traffic.Known && w.Traffic.At.After(c.toldAt[name]) {
			c.toldAt[name] = w.Traffic.At
		}
	}
	was, is := l.in.State.Rollout, l.d.Rollout
	if another := was == nil || was.Target == nil || is.Target == nil || *is.Target != *was.Target || !was.StartedAt.Equal(is.StartedAt); another {
		c.failedAt = map[time.Time]bool{}
	}
	if at, failed := c.failedNow(l); failed {
		c.failedAt[at] = true
	}
	if was == nil || was.Target == nil || is.Target == nil || is.Target.Workload != c.target || !was.StartedAt.Equal(is.StartedAt) ||
		was.Intent != l.in.Intent || was.Phase != v1.RolloutProgressing || l.in.Policy.Analysis == nil {
		c.spaced, c.countedAt, c.heldAt = 0, time.Time{}, map[int32]time.Time{}
		if len(l.in.Measurements) > 0 {
			c.countedAt = l.in.Measurements[0].At // It may have counted.
		}
		return
	}
	weight := l.is[c.target].Weight
	if c.isGoodAfter(l, c.heldAt[weight]) {
		c.heldAt[weight] = l.in.Measurements[0].At
	}
	if fresh, failed := c.checkFresh(l, 0); fresh {
		if _, far := c.checkFresh(l, spacing(l.in.Policy.Analysis)+2*time.Second); far && !c.isTooNear(l) && l.was[c.target].Weight > 0 && !l.in.Measurements[0].At.Before(was.StartedAt.Time) {
			c.spaced++
		} else if !failed {
			c.spaced = 0
		}
		c.countedAt = l.in.Measurements[0].At
	}
}
