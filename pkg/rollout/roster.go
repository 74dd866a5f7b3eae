package rollout

import (
	"slices"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/request"
)

// roster has the units of a handler, and the roles that the state gives them: stable, target,
// pinned, rejected. It answers questions, and changes none of them.
type roster struct {
	units    []*unit
	ro       *v1.RolloutStatus
	records  map[string]Record
	policy   *Policy
	declared Unit
	// handler names the handler in a command.
	handler string
	observed
}

// observed has the workloads that were seen, by name.
type observed map[string]Workload

// findUnit returns the unit that a reference names, nil when there is none.
func (r *roster) findUnit(ref *v1.UnitRef) *unit {
	if ref == nil {
		return nil
	}
	for _, u := range r.units {
		if u.Version == ref.Version && u.RevisionNumber == ref.RevisionNumber && u.Workload == ref.Workload {
			return u
		}
	}
	return nil
}

func (r *roster) isUnit(u *unit, ref *v1.UnitRef) bool { return u != nil && r.findUnit(ref) == u }

// recordFor returns the record of a unit's version.
func (r *roster) recordFor(u *unit) Record { return r.records[u.Version] }

// findTemplate returns the unit that runs a template: the one with traffic, else one
// that is live, else any.
func (r *roster) findTemplate(version string, number int64) *unit {
	var best *unit
	rank := func(u *unit) int32 {
		switch {
		case u == nil:
			return -2
		case isLive(u):
			return u.Weight
		default:
			return -1
		}
	}
	for _, u := range r.units {
		if runsTemplate(u, version, number) && rank(u) > rank(best) {
			best = u
		}
	}
	return best
}

// findHeaviest returns the unit with the most traffic, the oldest of equals.
func (r *roster) findHeaviest() *unit {
	var most *unit
	for _, u := range r.units {
		if isLive(u) && u.Weight > 0 && (most == nil || u.Weight > most.Weight) {
			most = u
		}
	}
	return most
}

// versionWeight returns the weight of all templates of a version.
func (r *roster) versionWeight(version string) int32 {
	var sum int32
	for _, u := range r.units {
		if u.Version == version {
			sum += u.Weight
		}
	}
	return sum
}

func (r *roster) hasVersion(version string) bool {
	return slices.ContainsFunc(r.units, func(u *unit) bool { return u.Version == version })
}

func (r *roster) sequenceOf(version string) int64 { return sequenceFor(r.units, version) }

func (r *roster) findOverride(version string) string {
	for _, u := range r.units {
		if u.Version == version && u.OverriddenBy != "" {
			return u.OverriddenBy
		}
	}
	return ""
}

// rejectionFor returns why a unit was rejected; empty when it was not.
func (r *roster) rejectionFor(u *unit) string { return r.rejectionForRef(u.Ref()) }

func (r *roster) rejectionForRef(ref *v1.UnitRef) string {
	for i := range r.ro.Rejected {
		if r := &r.ro.Rejected[i]; r.SameTemplate(ref) {
			return r.Reason
		}
	}
	return ""
}

// isManual reports whether the records decide the weights.
func (r *roster) isManual() bool { return r.policy.Strategy == v1.StrategyManual }

// isBeingReplaced reports whether the workload of a unit runs another one already.
func (r *roster) isBeingReplaced(u *unit) bool {
	return r.ro.Mode == v1.RolloutInPlace && u.Workload == v1.WorkloadMain && u.Weight == 0
}

// runsInPlace reports whether a unit runs, or ran, in the one workload of an in-place
// rollout: the Deployment replaces its pods.
func (r *roster) runsInPlace(u *unit) bool {
	return r.ro.Mode == v1.RolloutInPlace && u.Workload == v1.WorkloadMain
}

// isReplaced reports whether another template of the same version has taken over, and its
// workload is not given another version itself.
func (r *roster) isReplaced(u *unit) bool {
	return u.SupersededAt != nil && slices.ContainsFunc(r.units, func(o *unit) bool {
		return o != u && o.Version == u.Version && isLive(o) && o.SupersededAt == nil && !r.isUnit(o, r.ro.Target) && !r.isBeingReplaced(o) && r.rejectionFor(o) == ""
	})
}

// servingUnit returns the unit that the traffic and the pin of a version mean.
func (r *roster) servingUnit(version string) *unit {
	var best *unit
	rank := func(u *unit) int64 {
		n := int64(u.Weight)*1000 + u.RevisionNumber
		if r.isUnit(u, r.ro.Stable) {
			n += 1_000_000
		}
		if r.rejectionFor(u) != "" {
			n -= 1_000
		}
		return n
	}
	for _, u := range r.units {
		if u.Version != version || !isLive(u) || r.isUnit(u, r.ro.Target) || r.isReplaced(u) {
			continue
		}
		if best == nil || rank(u) > rank(best) {
			best = u
		}
	}
	return best
}

func (r *roster) isDeclared(u *unit) bool {
	return runsTemplate(u, r.declared.Version, r.declared.RevisionNumber)
}

// isRollingOut reports whether a rollout is running, or has failed and stays.
func (r *roster) isRollingOut() bool {
	return r.findUnit(r.ro.Target) != nil && (r.ro.Phase == v1.RolloutProgressing || r.ro.Phase == v1.RolloutFailed)
}

// isDecommissioned reports whether a version was admitted and has no workload any more.
func (r *roster) isDecommissioned(version string) bool {
	known := false
	for _, u := range r.units {
		if u.Version != version {
			continue
		}
		if isLive(u) {
			return false
		}
		known = true
	}
	return known
}

// findLastTemplate returns the template that a version ran last: the newest live one, else
// the newest.
func (r *roster) findLastTemplate(version string) *unit {
	var last *unit
	for _, u := range r.units {
		if u.Version == version && (last == nil || isLive(u) && !isLive(last) || isLive(u) == isLive(last) && u.RevisionNumber > last.RevisionNumber) {
			last = u
		}
	}
	return last
}

// isSettledOn reports whether a template is stable and nothing leads away from it or
// back to it.
func (r *roster) isSettledOn(to *v1.UnitRef) bool {
	pinnedAway := r.ro.Pinned != nil && !r.ro.Pinned.SameTemplate(to)
	return to.SameTemplate(r.ro.Stable) && !r.isRollingOut() && r.ro.Phase != v1.RolloutRollingBack && !pinnedAway
}

// rolloutSteps returns the steps of the running rollout. The last one is the end: all
// traffic, no pause.
func (r *roster) rolloutSteps() []Step {
	if r.ro.Mode != v1.RolloutSteps {
		return []Step{theEnd}
	}
	return r.policy.StepsOf(r.ro)
}

// currentStep returns the step of the running rollout. Other steps take back no weight that the
// target has already: only a failure, a user or another version does.
func (r *roster) currentStep() Step {
	step := r.rolloutSteps()[r.ro.Step]
	if t := r.findUnit(r.ro.Target); t != nil {
		step.Weight = max(step.Weight, t.Weight)
	}
	return step
}

// isAtEnd reports whether the rollout is at its last step, where all traffic goes to the
// target.
func (r *roster) isAtEnd() bool { return int(r.ro.Step) == len(r.rolloutSteps())-1 }

// findRollbackTarget returns the template that a rollback goes to. A version means the
// one that a rollback without a version goes to, then the one that serves.
func (r *roster) findRollbackTarget(version string) (*v1.UnitRef, string) {
	before := r.ro.Previous
	if r.isRollingOut() || r.ro.Phase == v1.RolloutRollingBack {
		before = r.ro.Stable
	}
	switch {
	case before == nil && version == "":
		return nil, "no earlier version"
	case before != nil && (version == "" || version == before.Version):
		return before.DeepCopy(), ""
	case r.ro.Stable != nil && version == r.ro.Stable.Version:
		return r.ro.Stable.DeepCopy(), ""
	}
	last := r.findLastTemplate(version)
	if last == nil {
		return nil, "no such version: " + version
	}
	return last.Ref(), ""
}

// rollbackVersion returns the version that a rollback goes to; empty for other requests.
func (r *roster) rollbackVersion(asked Request) string {
	if asked.Verb != request.Rollback {
		return ""
	}
	to, refused := r.findRollbackTarget(asked.Argument)
	if refused != "" {
		return ""
	}
	return to.Version
}

// hasWeights reports whether every unit has its weight of the goal.
func (r *roster) hasWeights(goal weights) bool {
	for _, u := range r.units {
		if isLive(u) && u.Weight != goal[u] {
			return false
		}
	}
	return true
}

// stepNumber returns the step of the running rollout, from 1; 0 where none runs.
func (r *roster) stepNumber() int32 {
	if r.ro.Mode != v1.RolloutSteps || !r.isRollingOut() {
		return 0
	}
	return r.ro.Step + 1
}

// findServingBeside returns what has the most traffic beside a unit; the unit itself where
// nothing else has any.
func (r *roster) findServingBeside(d *unit) *unit {
	var most *unit
	for _, u := range r.units {
		if isLive(u) && u != d && u.Weight > 0 && (most == nil || u.Weight > most.Weight) {
			most = u
		}
	}
	if most == nil {
		return r.findHeaviest()
	}
	return most
}

// hasAllWeights reports whether the versions still have their weights.
func (r *roster) hasAllWeights() bool {
	var sum int32
	for _, u := range r.units {
		sum += u.Weight
	}
	return sum == 100
}

// neededVersions returns the versions that stay in the status: the newest, so that no place
// in the order is given twice, those that the rollout names, and those that records need.
func (r *roster) neededVersions() map[string]bool {
	out := map[string]bool{r.units[len(r.units)-1].Version: true, r.declared.Version: true}
	for _, ref := range []*v1.UnitRef{r.ro.Stable, r.ro.Target, r.ro.Previous} {
		if ref != nil {
			out[ref.Version] = true
		}
	}
	if r.ro.Pinned != nil {
		out[r.ro.Pinned.Version] = true
	}
	for _, r := range r.ro.Rejected {
		out[r.Version] = true
	}
	isAfterLive, isOnTheWay := false, false
	for _, u := range r.units { // In the order of first admission.
		record := r.recordFor(u)
		isOnTheWay = isOnTheWay || r.isContract(u.Version) // Its callers are served in hops from here.
		out[u.Version] = out[u.Version] || record.Needed || isOnTheWay || record.Breaking && isAfterLive
		isAfterLive = isAfterLive || isLive(u)
	}
	return out
}

// observedWorkload returns the observed workload of a unit.
func (o observed) observedWorkload(u *unit) (Workload, bool) {
	w, ok := o[u.Workload]
	return w, ok
}

// readyPods returns the ready pods of a unit, 0 where it was not looked at.
func (o observed) readyPods(u *unit) int32 {
	w := o[u.Workload]
	return w.Ready
}

// areOfOneRun reports whether two versions are of one run, in which none breaks the one
// before. While there is one run only, none is named.
func (r *roster) areOfOneRun(a, b string) bool {
	return a == b || r.records[a].Run == r.records[b].Run
}

// isContract reports whether a version is the contract, or becomes it.
func (r *roster) isContract(version string) bool {
	is := r.ro.Contract
	return is != nil && (is.Version == version || is.Move != nil && is.Move.To == version)
}

// contractVersion returns the version of the contract; empty while there is none.
func (r *roster) contractVersion() string {
	if r.ro.Contract == nil {
		return ""
	}
	return r.ro.Contract.Version
}

// servesCallers reports whether a version serves the callers of another one.
func (r *roster) servesCallers(version, callers string) bool {
	return r.areOfOneRun(version, callers) || slices.Contains(r.records[version].Serves, callers)
}

// hasRuns reports whether a version breaks the callers of another one.
func (r *roster) hasRuns() bool {
	return slices.ContainsFunc(r.units, func(u *unit) bool { return !r.areOfOneRun(u.Version, r.declared.Version) })
}

// sampleReplicas returns the replicas that carry all traffic now.
func (r *roster) sampleReplicas() int32 {
	if !r.policy.Autoscaled {
		return r.policy.Replicas
	}
	var all int32
	for _, u := range r.units {
		if isLive(u) && u.Weight > 0 {
			all += r.observed[u.Workload].Wanted
		}
	}
	return max(all, r.policy.Min)
}

// referenceReplicas returns the replicas that carry all traffic.
func (r *roster) referenceReplicas() int32 {
	if r.ro.ReferenceReplicas != nil {
		return *r.ro.ReferenceReplicas
	}
	return r.sampleReplicas()
}

// findFrontUnit returns the unit that the front Service selects beside a gateway: the
// stable one, unless that was superseded and cannot carry all traffic yet.
func (r *roster) findFrontUnit() *unit {
	stable := r.findUnit(r.ro.Stable)
	if stable == nil || stable.SupersededAt == nil || r.ro.Phase != v1.RolloutRollingBack {
		return stable
	}
	return r.findHeaviest()
}
