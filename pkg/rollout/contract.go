package rollout

import (
	"fmt"
	"slices"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/remedy"
)

// contracts decides who serves the callers of the contract, and what pods must report first.
type contracts struct {
	*roster
	*clock
	*journal
	transformers Transformers
}

// The contract is the version that callers without a known X-Gati-Version speak. Every
// version with traffic serves its callers, so that a rollback is always possible. It
// exists once a version breaks the callers of another one.

// ensureContract makes the contract that of the stable version when the first version
// comes that breaks its callers. A contract that is no version any more is over.
func (c contracts) ensureContract() {
	if version := c.contractVersion(); version != "" && !c.hasVersion(version) {
		c.ro.Contract = nil
	}
	if c.ro.Contract != nil || c.ro.Stable == nil || !c.hasRuns() {
		return
	}
	version := c.ro.Stable.Version
	if wish := c.policy.Contract; wish != "" && c.hasVersion(wish) && c.areOfOneRun(wish, version) {
		version = wish
	}
	c.ro.Contract = &v1.ContractStatus{Version: version, Deed: v1.Deed{By: machineName, At: *c.stampNow()}}
}

// followContract moves the contract to the version that the spec names, or within its run
// to the stable one.
func (c contracts) followContract() {
	c.advanceMove()
	if c.ro.Contract == nil || c.ro.Stable == nil || c.isMoveAhead() {
		return
	}
	switch wish := c.policy.Contract; {
	case wish == c.contractVersion():
	case wish != "":
		if why := c.refuseContract(wish); why != "" {
			c.addNote("spec.contract is %s and the contract stays %s: %s.", wish, c.contractVersion(), why)
			return
		}
		c.moveContract(wish, machineName, "spec.contract")
	case c.ro.Stable.Version != c.contractVersion() && c.areOfOneRun(c.ro.Stable.Version, c.contractVersion()):
		if c.refuseContract(c.ro.Stable.Version) == "" {
			c.moveContract(c.ro.Stable.Version, machineName, "it follows the stable version")
		}
	}
}

// moveContractTo moves the contract to a version, without one to the stable version.
func moveContractTo(m *machine, r Request) (done, refused string) {
	to := r.Argument
	if to == "" && m.ro.Stable != nil {
		to = m.ro.Stable.Version
	}
	from := m.contractVersion()
	switch {
	case to == "":
		return "", "nothing serves yet"
	case from == "" && !m.hasVersion(to):
		return "", "no such version: " + to
	case from == "":
		return "", "no version breaks the callers of another, so the contract follows the stable version"
	case m.in.Policy.Contract != "":
		return "", fmt.Sprintf("spec.contract is %s; change it there", m.in.Policy.Contract)
	case m.contracts.isMoveAhead():
		return "", m.contracts.describeMove()
	case to == from:
		return "", to + " is the contract already"
	}
	if why := m.contracts.refuseContract(to); why != "" {
		return "", why
	}
	done = fmt.Sprintf("callers without a version speak %s instead of %s", to, from)
	if m.contracts.moveContract(to, r.By, "requested"); m.contracts.isMoveAhead() {
		done += fmt.Sprintf(" in %s, at the same moment at every pod", formatDuration(contractLead))
	}
	return done, ""
}

// noteRuns persists the run of each version, and whom it serves.
func (c contracts) noteRuns() {
	for _, u := range c.units {
		r := c.records[u.Version]
		u.Run, u.Serves = r.Run, r.Serves
	}
}

// refuseContract returns why the contract cannot move to a version now; empty when it
// can.
func (c contracts) refuseContract(to string) string {
	switch {
	case !c.hasVersion(to):
		return "no such version: " + to
	case c.ro.Phase != v1.RolloutStable:
		return "a rollout is running; move the contract once it is over"
	}
	for _, u := range c.units {
		if u.Weight > 0 && !c.servesCallers(u.Version, to) {
			return fmt.Sprintf("%s has %d %% of the traffic and does not serve callers of %s; record transformers from %s to %s, or move the traffic first", titleFor(u), u.Weight, to, to, u.Version)
		}
	}
	if c.areOfOneRun(to, c.contractVersion()) {
		return "" // Every version of the run keeps serving both.
	}
	if p := c.findUnit(c.ro.Previous); p != nil && isLive(p) && p.SupersededAt != nil && c.timeLeft(p.SupersededAt, c.policy.RollbackWindow) > 0 {
		return fmt.Sprintf("rollout.rollbackWindow is not over, in which %s may serve again", titleFor(p))
	}
	return c.findKeptCallers(to)
}

// contractBar returns why a version without traffic gets none: it does not serve the
// callers of the contract. What has traffic keeps it.
func (c contracts) contractBar(version string) string {
	callers := c.contractVersion()
	if callers == "" || c.servesCallers(version, callers) || c.versionWeight(version) > 0 {
		return ""
	}
	why := fmt.Sprintf("it does not serve callers of %s, the contract of callers without a version", callers)
	if c.sequenceOf(version) < c.sequenceOf(callers) {
		return why + "; move the contract back first: " + remedy.MoveContract.For(c.handler, version)
	}
	return why + fmt.Sprintf("; record transformers from %s to %s", callers, version)
}

// losesCallers reports whether a unit without traffic serves the callers of the contract and
// not those of another version, to which the contract may move. Pods without metrics have not
// the package, which always has some.
func (c contracts) losesCallers(u *unit, to string) bool {
	callers := c.contractVersion()
	return callers != "" && isLive(u) && u.Weight == 0 && u.TrafficSource != v1.TrafficSourceNone && !c.transformers.Declared && c.transformers.Hash != "" &&
		c.servesCallers(u.Version, callers) && !c.servesCallers(u.Version, to)
}

// findKeptCallers returns which pod may still have connections of callers that it would not
// serve if the contract moved. Pods that report nothing are not of the package: they serve
// such callers as before.
func (c contracts) findKeptCallers(to string) string {
	for _, u := range c.units {
		if !c.losesCallers(u, to) {
			continue
		}
		for _, r := range c.observed[u.Workload].Reports {
			isKnown := !r.At.IsZero() && c.now.Sub(r.At) <= c.policy.maxAge(releaseInterval) && !c.isFromAnotherClock(r.At)
			isTold := slices.Contains(c.transformers.WithoutTraffic, u.Version)
			if r.Problem != "" || isTold && isKnown && r.Hash == c.transformers.Hash {
				continue
			}
			return fmt.Sprintf("pod %s of %s has not reported yet that no client without a version keeps a connection to it, and it does not serve callers of %s; a changed file reaches pods within a minute or two", r.Pod, titleFor(u), to)
		}
	}
	return ""
}

// releaseEvery returns how often the pods of a unit are asked whether they have let go; zero
// where the contract cannot lead away from them.
func (c contracts) releaseEvery(u *unit) time.Duration {
	for _, o := range c.units {
		if o.Weight > 0 && c.losesCallers(u, o.Version) {
			return releaseInterval
		}
	}
	return 0
}
