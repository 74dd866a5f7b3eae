package rollout

import (
	v1 "gati.dev/gati/api/v1"
)

// candidates decides which template should serve, and what keeps the declared one from it.
type candidates struct {
	contracts
	turn *Turn
	// before is the rollout as it was before this decision; nil where there was none.
	before *v1.RolloutStatus
}

// findWanted returns the unit that should be stable, and what keeps the declared one
// from it where it is another.
func (c candidates) findWanted() (*unit, verdict) {
	stable := c.findUnit(c.ro.Stable)
	if p := c.ro.Pinned; p != nil {
		if u := c.findTemplate(p.Version, p.RevisionNumber); u != nil && !c.recordFor(u).Inactive {
			return u, c.pinVerdict()
		}
	}
	d := c.findTemplate(c.declared.Version, c.declared.RevisionNumber)
	if d == nil || stable == nil || d == stable {
		return d, passed
	}
	if v := c.admitVerdict(d.Ref()); !v.isPass() {
		return stable, v
	}
	return d, passed
}

// findSharing returns the declared unit where it has a part of the traffic and may have all of
// it; nil elsewhere. The strategy Manual leaves such shares.
func (c candidates) findSharing() *unit {
	d := c.findTemplate(c.declared.Version, c.declared.RevisionNumber)
	if d == nil || c.ro.Pinned != nil || d.Weight == 0 || d.Weight == 100 || !c.admitVerdict(d.Ref()).isPass() {
		return nil
	}
	return d
}

// unitToRun returns the template that the workload should run, and the reason why it is not
// the declared one.
func (c candidates) unitToRun() (*v1.UnitRef, verdict) {
	d := c.declared
	run := &v1.UnitRef{Version: d.Version, RevisionNumber: d.RevisionNumber, Revision: d.Revision}
	running := c.ro.Target
	if running == nil {
		running = c.ro.Stable
	}
	hold := passed
	if p := c.ro.Pinned; p != nil {
		run, hold = &p.UnitRef, c.pinVerdict()
	} else if c.ro.Stable != nil && !c.ro.Stable.SameTemplate(run) {
		if hold = c.startVerdict(run); hold.isPass() && !run.SameTemplate(c.ro.Target) {
			hold = c.refuseUnreported(run)
		}
		if !hold.isPass() {
			run = c.ro.Stable
		} else if v := c.turnVerdict(run); !v.isPass() && c.ro.Frozen == nil {
			run, hold = c.ro.Stable, v
		}
	}
	if c.ro.Frozen != nil && running != nil && !running.SameTemplate(run) {
		run, hold = running, waitFor(v1.WaitingForResume, "Paused by %s; %s is not rolled out yet", c.ro.Frozen.By, run.Title())
	}
	run = run.DeepCopy()
	run.Workload = v1.WorkloadMain
	return run, hold
}

// findShareHold returns what keeps the declared version from the traffic that its
// record requests, or from taking over from the template before.
func (c candidates) findShareHold() verdict {
	if c.ro.Pinned != nil {
		return c.pinVerdict()
	}
	d := c.findTemplate(c.declared.Version, c.declared.RevisionNumber)
	if t := c.recordFor(d).Traffic; t != nil && *t > 0 || c.servingUnit(d.Version) != d {
		return c.admitVerdict(d.Ref())
	}
	return passed
}

// pinVerdict is the wait for a spec that ends the pin of a rollback.
func (c candidates) pinVerdict() verdict {
	return waitFor(v1.WaitingForSpecChange, "rolled back to %s by %s until the spec changes", c.ro.Pinned.Title(), c.ro.Pinned.By)
}

// admitVerdict returns what keeps a template from weighted traffic: its record, or
// a reason of startVerdict.
func (c candidates) admitVerdict(ref *v1.UnitRef) verdict {
	v := c.startVerdict(ref)
	rejected := !v.isPass() && v.waiting.Reason == v1.WaitingForSpecChange
	if c.records[ref.Version].Inactive && !rejected {
		return waitFor(v1.WaitingForActivation, "%s gets no weighted traffic: its record says active: false", ref.Title())
	}
	return v
}

// startVerdict returns what keeps a template from being started: an earlier failure,
// or the callers that it breaks.
func (c candidates) startVerdict(ref *v1.UnitRef) verdict {
	if why := c.rejectionForRef(ref); why != "" {
		return waitFor(v1.WaitingForSpecChange, "%s is not tried again until the spec changes: %s", ref.Title(), why)
	}
	if why := c.holdFor(ref.Version); why != "" {
		v := waitFor(v1.WaitingForCompatibility, "%s%s", heldPrefix(ref), why)
		v.waiting.Held = why
		return v
	}
	if why := c.moveBar(ref.Version); why != "" {
		return waitFor(v1.WaitingForTransformers, "%s waits: %s", ref.Title(), why)
	}
	return passed
}

// whyNoRollout returns why a request that needs a rollout has none: it may stand in line.
func (c candidates) whyNoRollout() string {
	if ro := c.before; ro != nil && ro.WaitingFor != nil && ro.WaitingFor.Reason == v1.WaitingForTurn {
		return ro.WaitingFor.Message
	}
	return NoRollout
}
