package rollout

import (
	"fmt"
	"time"

	v1 "gati.dev/gati/api/v1"
)

// The contract moves at one moment. A file reaches each pod at a time of its own, so the file
// tells pods of the move ahead, and each makes it by its clock. The move is over once every
// pod whose answers it changes reports that it answers by the new contract.

// contractLead is the time from the announcement of a move to the move. Kubelets bring a
// changed file to their pods within it.
const contractLead = 2 * time.Minute

// moveContract moves the contract: at once where pods answer no caller in another form, else
// at a moment of which they are told.
func (c contracts) moveContract(version, by, why string) {
	from, deed := c.contractVersion(), v1.Deed{By: by, At: *c.stampNow()}
	c.recordEvent(by, "Contract", from, version, why)
	if c.areOfOneRun(version, from) {
		c.ro.Contract = &v1.ContractStatus{Version: version, Deed: deed}
		return
	}
	move := &v1.ContractMove{From: from, To: version, Deed: deed, MovesAt: *stamp(c.now.Add(contractLead))}
	move.Pods = int32(len(c.changedReports(move)))
	c.ro.Contract.Move = move
	c.lookAgainIn(contractLead)
}

// isMoveAhead reports whether pods know of a move and do not make it yet.
func (c contracts) isMoveAhead() bool {
	is := c.ro.Contract
	return is != nil && is.Move != nil && is.Version == is.Move.From
}

// advanceMove makes a move at its moment, and ends it once all pods answer by it.
func (c contracts) advanceMove() {
	if c.ro.Contract == nil || c.ro.Contract.Move == nil {
		return
	}
	is, move := c.ro.Contract, c.ro.Contract.Move
	if c.isMoveAhead() && !move.MovesAt.After(c.now) {
		is.Version, is.Deed = move.To, v1.Deed{By: move.By, At: move.MovesAt}
	}
	reports := c.changedReports(move)
	move.Pods, move.Holding = int32(len(reports)), 0
	lacking := ""
	for _, r := range reports {
		if why := c.findMoveFault(r, move); why == "" {
			move.Holding++
		} else if lacking == "" {
			lacking = fmt.Sprintf("; %s %s", r.Pod, why)
		}
	}
	if c.isMoveAhead() {
		c.lookAgainIn(move.MovesAt.Sub(c.now))
		c.addNote("%s: %d of %s know it%s.", c.describeMove(), move.Holding, countPods(move.Pods, ""), lacking)
		return
	}
	if move.Holding == move.Pods {
		is.Move = nil
		return
	}
	c.lookAgainIn(retryInterval)
	c.addNote("The contract has moved from %s to %s, and %d of %s hold it%s.", move.From, move.To, move.Holding, countPods(move.Pods, ""), lacking)
}

// describeMove returns what a move ahead leads to, and when.
func (c contracts) describeMove() string {
	move := c.ro.Contract.Move
	return fmt.Sprintf("the contract moves from %s to %s at %s", move.From, move.To, c.formatTime(move.MovesAt.Time))
}

// changedReports returns the reports of the pods that answer callers without a version in
// another form after a move. Where no pod is asked, there is none to wait for.
func (c contracts) changedReports(move *v1.ContractMove) []PodReport {
	var out []PodReport
	for _, u := range c.units {
		if c.isChangedBy(move, u) {
			out = append(out, c.observed[u.Workload].Reports...)
		}
	}
	return out
}

// isChangedBy reports whether a move changes the answers of a unit: it has traffic, and needs
// transformers for callers of one of the two contracts.
func (c contracts) isChangedBy(move *v1.ContractMove, u *unit) bool {
	return !c.transformers.Declared && isLive(u) && u.Weight > 0 &&
		len(c.hopsFor(move.From, u.Version))+len(c.hopsFor(move.To, u.Version)) > 0
}

// findMoveFault returns why a pod does not hold a move; empty where it does.
func (c contracts) findMoveFault(r PodReport, move *v1.ContractMove) string {
	switch {
	case r.At.IsZero() && r.Problem == "":
		return "was not asked yet"
	case r.Problem != "":
		return r.Problem
	case c.isStale(r):
		return "was last asked too long ago"
	case c.isMoveAhead() && r.Hash != c.transformers.Hash:
		return "has not read the file that tells of it yet"
	case !c.isMoveAhead() && r.Contract != move.To:
		return "still answers by the contract before"
	}
	return ""
}

// moveBar returns why a version without traffic gets none now: pods that begin to serve
// during a move might not hold what callers of the next contract need.
func (c contracts) moveBar(version string) string {
	if !c.isMoveAhead() || c.versionWeight(version) > 0 {
		return ""
	}
	return c.describeMove() + ", and no version gets its first traffic before that"
}
