package rollouttest

import (
	"fmt"
	"slices"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// findClimbing returns the workload of the target that a rollout by steps has before
// and after the decision, empty when it is another one.
func findClimbing(l look) string {
	was, is := l.in.State.Rollout, l.d.Rollout
	if was == nil || was.Target == nil || was.Mode != v1.RolloutSteps || was.Intent != l.in.Intent {
		return ""
	}
	if is.Target != nil && is.Target.Workload == was.Target.Workload || is.Target == nil && is.Stable.Workload == was.Target.Workload {
		return was.Target.Workload
	}
	return ""
}

// checkSteps: a weight is raised by one step, when the pause of the step before is
// over and its gates hold.
func (c *Checker) checkSteps(l look) error {
	if l.in.Policy.Strategy != v1.StrategyCanary {
		return nil
	}
	name := findClimbing(l)
	if name == "" {
		return c.checkFirstStep(l)
	}
	if l.d.Rollout.Mode == v1.RolloutWithPods && c.hasLost(l, l.d.Rollout.Stable.Workload, -blackout) {
		return nil
	}
	was, is := l.was[name].Weight, l.is[name].Weight
	done := l.d.Rollout.Target == nil
	if is > was && was > 0 && l.in.Policy.Gateway && !isAcceptedAs(l, l.was) {
		return fmt.Errorf("%s goes from %d %% to %d %% before the first is accepted", name, was, is)
	}
	advanced := l.d.Rollout.Step > l.in.State.Rollout.Step // The weight follows once the pods are ready.
	switch {
	case c.promotes > 0, c.hasRequest(l, request.Promote), is <= was && !done && !advanced:
		return nil
	case is <= was && !done:
		return c.checkGates(l, name, was)
	}
	return c.checkLeaves(l, name, done)
}

// checkLeaves: one step further, and after the last only what is accepted is stable.
func (c *Checker) checkLeaves(l look, name string, done bool) error {
	was, is := l.was[name].Weight, l.is[name].Weight
	if !done && is > nextWeight(l.steps(), was) {
		return fmt.Errorf("%s goes from %d %% to %d %%, the next step is %d %%", name, was, is, nextWeight(l.steps(), was))
	}
	if done && !isAccepted(l) {
		return fmt.Errorf("%s is stable before its 100 %% is accepted", name)
	}
	return c.checkGates(l, name, was)
}

// checkGates: what must hold before a step is left.
func (c *Checker) checkGates(l look, name string, was int32) error {
	if was == 0 || c.passed[was] {
		return nil
	}
	at, stood := c.steppedAt[was]
	if c.restarts.hasNew(l.in.Workloads[name].Restarts) {
		at = l.in.Now
	}
	for _, s := range l.steps() {
		if s.Weight != was {
			continue
		}
		if s.Pause == 0 {
			return fmt.Errorf("%s leaves %d %% without being promoted", name, was)
		}
		if !stood || l.in.Now.Sub(at) < s.Pause {
			return fmt.Errorf("%s leaves %d %% after %s of %s", name, was, l.in.Now.Sub(at), s.Pause)
		}
		if err := c.checkProven(l, name, was); err != nil {
			return err
		}
	}
	return nil
}

func (c *Checker) checkFirstStep(l look) error {
	is := l.d.Rollout
	if is.Target == nil || is.Mode != v1.RolloutSteps || l.in.State.Rollout == nil || l.in.State.Rollout.Intent != l.in.Intent && l.in.State.Rollout.Target != nil {
		return nil
	}
	if w := l.is[is.Target.Workload].Weight; w > l.was[is.Target.Workload].Weight && w > nextWeight(l.steps(), 0) && !c.hasRequest(l, request.Promote) {
		return fmt.Errorf("%s begins with %d %%", is.Target.Workload, w)
	}
	return nil
}

// steps returns those that the rollout takes, without the end: of the spec, or as planned.
func (l look) steps() []rollout.Step {
	steps := l.in.Policy.Steps
	if planned := l.d.Rollout.Planned; planned != nil && l.in.Policy.Harm > 0 && len(planned.Steps) > 0 {
		steps = nil
		for _, s := range planned.Steps {
			steps = append(steps, rollout.Step{Weight: s.Weight, Pause: time.Duration(s.Seconds) * time.Second})
		}
	}
	if len(steps) == 0 {
		return []rollout.Step{{Weight: 10, Pause: 5 * time.Minute}, {Weight: 50, Pause: 10 * time.Minute}}
	}
	if last := steps[len(steps)-1]; last.Weight == 100 && last.Pause == 0 {
		return steps[:len(steps)-1]
	}
	return steps
}

func nextWeight(steps []rollout.Step, weight int32) int32 {
	for _, s := range steps {
		if s.Weight > weight {
			return s.Weight
		}
	}
	return 100
}

// checkFailures: a target whose gate has failed is given up in the same decision.
func (c *Checker) checkFailures(l look) error {
	was := l.in.State.Rollout
	if was == nil || was.Phase != v1.RolloutProgressing || was.Target == nil || was.Mode == v1.RolloutInPlace || l.in.Policy.Strategy == v1.StrategyManual {
		return nil
	}
	name := was.Target.Workload
	why := c.findFailure(l, name)
	is := l.d.Rollout
	if why == "" {
		return nil
	}
	if is.Phase == v1.RolloutProgressing && is.Target != nil && is.Target.Workload == name && was.StartedAt.Equal(is.StartedAt) {
		return fmt.Errorf("%s goes on although %s", name, why)
	}
	if is.Stable.Workload == name {
		return fmt.Errorf("%s is stable although %s", name, why)
	}
	return c.checkImmediate(l)
}

// findFailure says what was seen that no rollout goes on with.
func (c *Checker) findFailure(l look, name string) string {
	seen, ok := l.in.Workloads[name]
	if p := l.in.Policy.Analysis; p != nil && c.target == name && c.isOverdue(l) {
		return "its analysis failed"
	}
	if ok && c.target == name && c.restarts.mustFail(l.in.Now, seen.Restarts, max(3, seen.Wanted)) {
		return fmt.Sprintf("it has %d restarts: %v", seen.Restarts, c.restarts)
	}
	return ""
}

// checkImmediate: a rollback does not wait for the gateway, nor in parts where all
// pods are ready and known.
func (c *Checker) checkImmediate(l look) error {
	is := l.d.Rollout
	if is.Phase != v1.RolloutRollingBack && is.Phase != v1.RolloutStable || !l.in.Policy.Gateway {
		return nil
	}
	stable := is.Stable.Workload
	if seen, ok := l.in.Workloads[stable]; ok && seen.Ready-seen.Settling >= c.neededPods(l) && seen.Ready > 0 && l.is[stable].Weight != 100 {
		return fmt.Errorf("%s gets %d %% back, with %d of %d pods ready", stable, l.is[stable].Weight, seen.Ready, c.neededPods(l))
	}
	return nil
}

// checkRejections: what failed is not tried again until the spec changes.
func (c *Checker) checkRejections(l look) error {
	t := l.d.Rollout.Target
	if t == nil || l.in.Intent != c.intent || l.d.Rollout.Pinned != nil || l.in.Policy.Strategy == v1.StrategyManual || c.hasRequest(l, request.Retry, request.Rollback) {
		return nil
	}
	if c.rejected[t.Revision] {
		return fmt.Errorf("%s is tried again", t.Revision)
	}
	return nil
}

// checkInvalid: while the spec cannot be applied, no target gets more traffic.
func (c *Checker) checkInvalid(l look) error {
	name := findClimbing(l)
	if l.in.HasFaults && name != "" && l.in.Policy.Strategy != v1.StrategyManual && l.d.Rollout.Mode == v1.RolloutSteps && l.is[name].Weight > l.was[name].Weight {
		return fmt.Errorf("%s goes from %d %% to %d %%", name, l.was[name].Weight, l.is[name].Weight)
	}
	return nil
}

// checkAnswers: what runs by steps can be aborted, and rolled back to what may have traffic,
// whatever is lost.
func (c *Checker) checkAnswers(l look) error {
	was := l.in.State.Rollout
	if was == nil || was.Target == nil || was.Phase != v1.RolloutProgressing || was.Mode != v1.RolloutSteps || was.Intent != l.in.Intent ||
		!c.hasRequest(l, request.Abort, request.Rollback) || l.in.Request.Argument != "" || l.in.Policy.Strategy != v1.StrategyCanary || c.isHeld(l, was.Stable.Version) {
		return nil
	}
	for _, e := range l.d.Events {
		if e.Reason == "Refused" {
			return fmt.Errorf("%s is refused: %s", l.in.Request.Verb, e.Message)
		}
	}
	return nil
}

// checkFreezes: nothing goes forward.
func (c *Checker) checkFreezes(l look) error {
	was := l.in.State.Rollout
	if was == nil || was.Frozen == nil || l.in.Policy.Strategy != v1.StrategyCanary || was.Mode == v1.RolloutInPlace || c.hasRequest(l, request.Promote, request.Resume, request.Rollback, request.Retry) {
		return nil
	}
	is := l.d.Rollout
	if is.Target != nil && (was.Target == nil || was.Target.Workload != is.Target.Workload) && is.Pinned == nil && l.was[is.Target.Workload].Weight == 0 {
		return fmt.Errorf("%s is begun", is.Target.Workload)
	}
	if is.Target != nil && l.is[is.Target.Workload].Weight > l.was[is.Target.Workload].Weight && is.Phase == v1.RolloutProgressing {
		return fmt.Errorf("%s is raised", is.Target.Workload)
	}
	if len(l.d.Delete) > 0 && !slices.Equal(l.d.Delete, findDeleting(l.in.State.Versions)) {
		return fmt.Errorf("%v go", l.d.Delete)
	}
	return nil
}

func findDeleting(versions []v1.VersionStatus) []string {
	var out []string
	for _, v := range versions {
		if v.Phase == v1.VersionDecommissioned && v.Workload != "" {
			out = append(out, v.Workload)
		}
	}
	return out
}

// checkKept: what must stay, stays.
func (c *Checker) checkKept(l look) error {
	for _, name := range l.d.Delete {
		was, fresh := l.was[name]
		if !fresh {
			continue // It went with an earlier decision.
		}
		if err := c.checkProtected(l, name, was); err != nil {
			return err
		}
		if err := c.checkDrained(l, name, was); err != nil {
			return err
		}
	}
	versions := map[string]bool{}
	for _, p := range l.d.Workloads {
		versions[p.Unit.Version] = true
	}
	if len(versions) < l.in.Policy.MinActive && slices.ContainsFunc(l.d.Delete, func(name string) bool { return l.was[name].Version != "" && !versions[l.was[name].Version] }) {
		return fmt.Errorf("%d versions are left of %d", len(versions), l.in.Policy.MinActive)
	}
	return nil
}

// checkProtected: what a version is keeps it.
func (c *Checker) checkProtected(l look, name string, was v1.VersionStatus) error {
	rec := l.in.Records[was.Version]
	tagged := slices.ContainsFunc(rec.Tags, func(t string) bool { return slices.Contains(l.in.Policy.ProtectedTags, t) })
	twice := slices.ContainsFunc(l.d.Workloads, func(p rollout.WorkloadPlan) bool { return p.Unit.Version == was.Version })
	unit := rollout.Unit{Version: was.Version, Revision: was.Revision, RevisionNumber: was.RevisionNumber}
	asked := c.asked[was.Version] || c.hasRequest(l, request.Decommission)
	switch {
	case unit == l.in.Declared && !twice:
		return fmt.Errorf("%s goes, which is declared", name)
	case rec.Keep:
		return fmt.Errorf("%s goes, which is kept", name)
	case tagged && !twice:
		return fmt.Errorf("%s goes, whose tag is protected", name)
	case !asked && l.in.Now.Sub(c.admitted[was.Version]) < l.in.Policy.MinAge:
		return fmt.Errorf("%s goes at the age of %s", name, l.in.Now.Sub(c.admitted[was.Version]))
	}
	return nil
}

// checkFront: the front Service selects what holds all traffic, accepted.
func (c *Checker) checkFront(l look) error {
	was := l.in.State.Rollout
	if l.d.Rollout.Mode == v1.RolloutInPlace && l.d.Front != v1.WorkloadMain {
		return fmt.Errorf("it selects %q while the pods of main are replaced", l.d.Front)
	}
	if !l.in.Policy.Gateway || l.in.Policy.Strategy != v1.StrategyCanary || was == nil || was.Stable == nil || was.Phase == v1.RolloutStarting || was.Mode == v1.RolloutInPlace {
		return nil
	}
	if l.d.Front == "" {
		return fmt.Errorf("it selects every workload, beside a gateway")
	}
	if l.d.Front != was.Stable.Workload && !frontGoesBack(l) && (l.is[l.d.Front].Weight != 100 || !isAccepted(l)) {
		return fmt.Errorf("it selects %s, which has %d %%, accepted: %v", l.d.Front, l.is[l.d.Front].Weight, isAccepted(l))
	}
	return nil
}

// frontGoesBack reports whether a promoted version was rolled back, and the front Service
// selects what has all weight, or the most of it: that waits for no gateway.
func frontGoesBack(l look) bool {
	if l.d.Rollout.Phase != v1.RolloutRollingBack {
		return false
	}
	stable, front := l.is[l.d.Rollout.Stable.Workload], l.is[l.d.Front]
	if stable.Weight == 100 {
		return front.Workload == stable.Workload
	}
	return stable.SupersededAt != nil && front.Weight >= stable.Weight
}

// Persisted takes in what a decision that was written down has changed.
func (c *Checker) Persisted(in rollout.Input, d rollout.Decision) {
	l := look{in: in, d: d, was: byWorkload(in.State.Versions), is: byWorkload(d.Versions)}
	if c.intent != in.Intent {
		c.intent, c.rejected, c.steppedAt, c.passed = in.Intent, map[string]bool{}, map[int32]time.Time{}, map[int32]bool{}
		c.forgetFailure(in)
	}
	c.sequences = map[string]int64{} // One that was forgotten gets another place.
	for _, v := range d.Versions {
		c.sequences[v.Version] = v.Sequence
		if at, ok := c.admitted[v.Version]; !ok || in.Now.Before(at) {
			c.admitted[v.Version] = in.Now
		}
	}
	if c.hasRequest(l, request.Promote) {
		c.spaced = 0 // It is counted anew.
	}
	c.persistLost(l)
	c.persistRequest(l)
	c.persistServed(l)
	c.persistEvidence(l)
	c.persistThaw(l)
	c.persistRollout(l)
	c.persistWaits(l)
	for name, v := range l.is {
		if v.Weight > 0 || !isAccepted(l) && v.ExposedWeight > 0 {
			delete(c.zeroAt, name)
		} else if at, ok := c.zeroAt[name]; !ok || in.Now.Before(at) {
			c.zeroAt[name] = in.Now
		}
		if v.Weight > 0 {
			delete(c.warm, name)
		}
	}
}

func (c *Checker) persistRequest(l look) {
	if l.in.Request == nil || c.handled[l.in.Request.ID] {
		return
	}
	c.handled[l.in.Request.ID] = true
	if l.in.Request.Verb == request.Promote {
		c.promotes++
	}
	if l.in.Request.Verb == request.Decommission {
		c.asked[l.in.Request.Argument] = true
	}
	c.persistRetry(l)
}

// promotesWhatItBegins reports whether a decision promotes the rollout that it begins.
func promotesWhatItBegins(l look) bool {
	r, was, is := l.in.Request, l.in.State.Rollout, l.d.Rollout
	if r == nil || r.Verb != request.Promote || was == nil || is.Target == nil {
		return false
	}
	handled := func(h v1.HandledRequest) bool { return h.ID == r.ID && !h.Refused }
	return slices.ContainsFunc(is.Requests, handled) && !slices.ContainsFunc(was.Requests, handled)
}

// persistThaw leaves the time in which a rollout was frozen out of its steps.
func (c *Checker) persistThaw(l look) {
	was := l.in.State.Rollout
	if was == nil || was.Frozen == nil || l.d.Rollout.Frozen != nil {
		return
	}
	for weight, at := range c.steppedAt {
		if at = at.Add(max(0, l.in.Now.Sub(was.Frozen.At.Time))); at.After(l.in.Now) {
			at = l.in.Now
		}
		c.steppedAt[weight] = at
	}
}

func (c *Checker) persistRollout(l look) {
	was, is := l.in.State.Rollout, l.d.Rollout
	if was != nil && was.Target != nil && is.Target == nil {
		c.persistEnd(l)
	}
	if was != nil && was.Target == nil && is.Phase == v1.RolloutRollingBack && isGivenUp(l) {
		c.rejected[was.Stable.Revision] = true // It was promoted before.
	}
	if is.Target == nil || was == nil || was.Target == nil || is.Target.Workload != c.target || !is.StartedAt.Equal(was.StartedAt) {
		c.steppedAt, c.passed, c.promotes, c.target, c.reference = map[int32]time.Time{}, map[int32]bool{}, 0, "", 0
		if promotesWhatItBegins(l) {
			c.promotes = 1
		}
	}
	if is.Target != nil {
		c.persistTarget(l, is.Target.Workload)
	}
}

// persistEnd takes in how a rollout ended.
func (c *Checker) persistEnd(l look) {
	was, is := l.in.State.Rollout, l.d.Rollout
	for _, e := range l.d.Events {
		if e.Reason == "RolledBack" {
			c.rejected[was.Target.Revision] = true
		}
	}
	completed := was.Mode != v1.RolloutInPlace && is.Stable.Workload == was.Target.Workload && l.in.Policy.Strategy != v1.StrategyManual
	if completed && was.Stable.Workload != is.Stable.Workload {
		c.warm[was.Stable.Workload] = l.in.Now
	}
}

// persistTarget takes in how far a rollout is.
func (c *Checker) persistTarget(l look, name string) {
	was, is := l.in.State.Rollout, l.d.Rollout
	seen, ok := l.in.Workloads[name]
	if c.target == "" {
		c.target, c.restarts = name, nil
		if _, old := l.was[name]; !ok && !old {
			ok = true // It is new, so it has not restarted, whoever sees it first.
		}
	}
	if _, stood := c.steppedAt[l.is[name].Weight]; ok && stood && c.restarts.hasNew(seen.Restarts) {
		c.steppedAt[l.is[name].Weight] = l.in.Now // A restart begins the pause anew.
	}
	if ok {
		c.restarts.note(l.in.Now, seen.Restarts)
	}
	if is.ReferenceReplicas != nil {
		c.reference = max(c.reference, *is.ReferenceReplicas)
	}
	weight := l.is[name].Weight
	if was != nil && was.Target != nil && is.Step > was.Step {
		c.passed[l.was[name].Weight] = true
	}
	// A clock that went back may have begun the pause anew.
	at, known := c.steppedAt[weight]
	stood := l.was[name].Weight == weight || was == nil || !l.in.Policy.Gateway
	if (!known || l.in.Now.Before(at)) && stood && isAccepted(l) {
		c.steppedAt[weight] = l.in.Now
	}
}
