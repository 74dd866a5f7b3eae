package rollout

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "gati.dev/gati/api/v1"
)

// A version of another run than the contract's serves its callers through transformers,
// which are functions of the image. That they are recorded is a claim: before such a
// version gets more traffic, every ready pod reports that it holds them. What has traffic
// keeps it while its pods are silent; a lack that a pod reports fails the rollout.

// Transformers are the pairs that the pods of a handler have to hold.
type Transformers struct {
	// Versions are in the order of their admission. Hops lead between adjacent ones;
	// those of a step that breaks no caller are among them.
	Versions []string
	Hops     []Hop
	// Functions names those that a hop is recorded with: usersUp, usersDown.
	Functions map[Hop]string
	// Hash is that of the file that the pods should have read. WithoutTraffic are the
	// versions that it tells to let go of their clients.
	Hash           string
	WithoutTraffic []string
	// Declared reports whether the operator takes records for proof: no pod is asked.
	Declared bool
}

// Hop serves the callers of one version on an adjacent one.
type Hop struct{ From, To string }

// PodReport is the report of a ready pod about its transformers.
type PodReport struct {
	// Pod is its name.
	Pod string
	// At is when it was read; zero while it was not.
	At time.Time
	// Problem is the reason why it reports nothing; empty where it does.
	Problem string
	// Contract and Hash are of the file that it has read.
	Contract, Hash string
	// Loaded are the hops whose functions it has, Failed those of which one has failed.
	Loaded, Failed []Hop
}

// reportInterval is how often pods are asked for their transformers while a rollout
// depends on the answer.
const reportInterval = 5 * time.Second

// noteDeclared names the versions whose transformers count although no pod was asked.
func (c contracts) noteDeclared() {
	for _, u := range c.units {
		if !c.transformers.Declared || !isLive(u) || u.Weight == 0 {
			continue
		}
		if hops := c.neededHops(u.Version); len(hops) > 0 {
			c.addNote("%s counts as holding %s because it is recorded: gati-webhook has transformer-evidence: declared, and asks no pod.", titleFor(u), chainTitle(hops))
		}
	}
}

// findLacked returns the hops that a pod does not hold.
func (r PodReport) findLacked(hops []Hop) []Hop {
	return slices.DeleteFunc(slices.Clone(hops), func(h Hop) bool { return slices.Contains(r.Loaded, h) })
}

// watchReports notes since when the handler waits for reports. A wait that lasts longer than
// the progress deadline needs a user; it still ends by itself when the pods report.
func (c contracts) watchReports() {
	if w := c.ro.WaitingFor; w == nil || w.Reason != v1.WaitingForTransformers {
		c.ro.UnreportedSince = nil
		return
	}
	if c.ro.UnreportedSince == nil {
		c.ro.UnreportedSince = c.stampNow()
	}
	c.stalled = c.stalled || c.timeLeft(c.ro.UnreportedSince, c.policy.ProgressDeadline) == 0
}

// chainTitle names hops that follow each other: v1→v2→v3.
func chainTitle(hops []Hop) string {
	names := []string{hops[0].From}
	for _, h := range hops {
		names = append(names, h.To)
	}
	return strings.Join(names, "→")
}

// reportEvery returns how often the pods of a unit are asked for their transformers; zero
// where nothing depends on them.
func (s *shares) reportEvery(u *unit) time.Duration {
	if is := s.ro.Contract; is != nil && is.Move != nil && s.isChangedBy(is.Move, u) {
		return reportInterval
	}
	if !isLive(u) || s.transformers.Declared || len(s.neededHops(u.Version)) == 0 {
		return s.releaseEvery(u)
	}
	raised := s.isUnit(u, s.ro.Target) || s.isManual() && s.prepared[u] > u.Weight
	if !raised && s.isFrontOpenTo(u) {
		return s.releaseEvery(u)
	}
	return reportInterval
}

// neededHops returns the hops that callers of the contract take at a version; none where
// it serves them as it is.
func (c contracts) neededHops(version string) []Hop { return c.hopsFor(c.contractVersion(), version) }

// hopsFor returns the hops that callers of one version take at another.
func (c contracts) hopsFor(callers, version string) []Hop {
	if callers == "" || c.areOfOneRun(version, callers) || c.findOverride(version) != "" {
		return nil
	}
	t := c.transformers
	from, to := slices.Index(t.Versions, callers), slices.Index(t.Versions, version)
	if from < 0 || to < 0 {
		return nil
	}
	step := 1
	if from > to {
		step = -1
	}
	var hops []Hop
	for ; from != to; from += step {
		hop := Hop{t.Versions[from], t.Versions[from+step]}
		if !slices.Contains(t.Hops, hop) {
			return nil // A version that no chain leads to breaks none of these callers.
		}
		hops = append(hops, hop)
	}
	return hops
}

// awaitReports asks that every ready pod of a unit holds what callers of the contract
// need there.
func (c contracts) awaitReports(u *unit) verdict {
	hops := c.neededHops(u.Version)
	if len(hops) == 0 || c.transformers.Declared || c.referenceReplicas() == 0 {
		return passed
	}
	w := c.observed[u.Workload]
	if len(w.Reports) == 0 {
		c.lookAgainIn(retryInterval)
		return waitFor(v1.WaitingForTransformers, "no ready pod of %s reports yet that it holds %s%s", titleFor(u), chainTitle(hops), c.noPodsAhead())
	}
	var faults []string
	for _, r := range w.Reports {
		if why := c.findReportFault(r, hops); why != "" {
			faults = append(faults, r.Pod+" "+why)
		}
	}
	if len(faults) == 0 {
		return passed
	}
	c.lookAgainIn(retryInterval)
	more := ""
	if len(faults) > 1 {
		more = fmt.Sprintf(", and %d more", len(faults)-1)
	}
	return waitFor(v1.WaitingForTransformers, "%d of %s of %s hold %s; %s%s", len(w.Reports)-len(faults), countPods(int32(len(w.Reports)), ""), titleFor(u), chainTitle(hops), faults[0], more)
}

// refuseUnreported keeps a template from the one workload of a RollingUpdate where its pods
// need transformers: they would serve before they can report.
func (c contracts) refuseUnreported(run *v1.UnitRef) verdict {
	hops := c.neededHops(run.Version)
	if len(hops) == 0 || c.transformers.Declared {
		return passed
	}
	return waitFor(v1.WaitingForTransformers, "%s needs %s for callers of %s, and under RollingUpdate its pods would serve before they report that they hold it; use the strategy Canary", run.Title(), chainTitle(hops), c.contractVersion())
}

// noPodsAhead returns why there can be no pods to report, for the end of a sentence.
func (c contracts) noPodsAhead() string {
	if c.policy.Gateway || !c.isManual() {
		return ""
	}
	return "; without spec.route a version has pods only with traffic: set spec.route, or use the strategy Canary"
}

// findReportFault returns why a pod does not count as holding hops; empty where it does.
func (c contracts) findReportFault(r PodReport, hops []Hop) string {
	lacked := r.findLacked(hops)
	switch {
	case r.At.IsZero() && r.Problem == "":
		return "was not asked yet"
	case r.Problem != "":
		return r.Problem
	case c.isStale(r):
		return "was last asked too long ago"
	case r.Hash != c.transformers.Hash || r.Contract != c.contractVersion():
		return "has not read the current file of transformers yet"
	case len(lacked) > 0 && len(hops) > 1:
		return "lacks " + chainTitle(lacked[:1]) + c.functionsTitle(lacked[0])
	case len(lacked) > 0:
		return "lacks it" + c.functionsTitle(lacked[0])
	}
	return ""
}

// functionsTitle names the functions that a hop is recorded with, for the end of a
// sentence.
func (c contracts) functionsTitle(h Hop) string {
	if names := c.transformers.Functions[h]; names != "" {
		return fmt.Sprintf(" (%s)", names)
	}
	return ""
}

// isStale reports whether a report is too old to be about now.
func (c contracts) isStale(r PodReport) bool {
	return c.isFromAnotherClock(r.At) || c.now.Sub(r.At) > c.policy.maxAge(reportInterval)
}

// isFrontOpenTo reports whether a unit may be reached through the front Service where the
// pods are the traffic: it has weight already, or its pods hold what they need.
func (c contracts) isFrontOpenTo(u *unit) bool {
	isTarget := c.isUnit(u, c.ro.Target)
	switch {
	case c.policy.Gateway, c.isManual(), !isLive(u), c.isUnit(u, c.ro.Stable):
		return true
	case isTarget && (c.ro.Step > 0 || c.ro.StepStartedAt != nil), !isTarget && u.Weight > 0:
		return true
	}
	return c.awaitReports(u).isPass()
}

// limitToReported removes from the goal the increases of units whose pods have not reported
// their transformers, and returns the wait.
func (c contracts) limitToReported(goal weights) (weights, verdict) {
	out, excess, hold := weights{}, int32(0), passed
	for u, w := range goal {
		out[u] = w
	}
	for _, u := range c.units {
		more := out[u] - u.Weight
		if !isLive(u) || more <= 0 {
			continue
		}
		if v := c.awaitReports(u); !v.isPass() {
			out[u] -= more
			excess += more
			if hold.isPass() {
				hold = v
			}
		}
	}
	for _, u := range c.units {
		back := min(excess, max(0, u.Weight-out[u]))
		out[u] += back
		excess -= back
	}
	return out, hold
}

// describeFailedHops names the transformers that pods of a unit report to have failed, for the
// end of a sentence: they answer with 500.
func (c contracts) describeFailedHops(u *unit) string {
	var out string
	var told []Hop
	for _, r := range c.observed[u.Workload].Reports {
		for _, h := range r.Failed {
			if !slices.Contains(told, h) {
				told = append(told, h)
				out += fmt.Sprintf("; the transformer %s%s has failed in pod %s", chainTitle([]Hop{h}), c.functionsTitle(h), r.Pod)
			}
		}
	}
	return out
}

// findLackingPod returns the pod of a target with traffic that reports a missing hop:
// callers of the contract get errors from it. Pods without a report only hold the weight.
func (c contracts) findLackingPod(target *unit) string {
	hops := c.neededHops(target.Version)
	if target.Weight == 0 || len(hops) == 0 || c.transformers.Declared || !c.isFrontOpenTo(target) {
		return ""
	}
	for _, r := range c.observed[target.Workload].Reports {
		if r.Problem != "" || c.isStale(r) || r.Hash != c.transformers.Hash || r.Contract != c.contractVersion() {
			continue
		}
		if lacked := r.findLacked(hops); len(lacked) > 0 {
			return fmt.Sprintf("pod %s reports that it lacks %s%s, which callers of %s need", r.Pod, chainTitle(lacked[:1]), c.functionsTitle(lacked[0]), c.contractVersion())
		}
	}
	return ""
}
