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

// Transformers is what the pods of a handler are told to hold.
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

// PodReport is what a ready pod reports of its transformers.
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

// neededHops returns the hops that callers of the contract take at a version; none where
// it serves them as it is.
func (m *machine) neededHops(version string) []Hop {
	c := m.contractVersion()
	if c == "" || m.areOfOneRun(version, c) || m.findOverride(version) != "" {
		return nil
	}
	t := m.in.Transformers
	from, to := slices.Index(t.Versions, c), slices.Index(t.Versions, version)
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
func (m *machine) awaitReports(u *unit) verdict {
	hops := m.neededHops(u.Version)
	if len(hops) == 0 || m.in.Transformers.Declared || m.referenceReplicas() == 0 {
		return passed
	}
	w := m.in.Workloads[u.Workload]
	if len(w.Reports) == 0 {
		m.lookAgainIn(retryInterval)
		return wait(v1.WaitingForTransformers, "no ready pod of %s reports yet that it holds %s%s", titleFor(u), chainTitle(hops), m.noPodsAhead())
	}
	var faults []string
	for _, r := range w.Reports {
		if why := m.findReportFault(r, hops); why != "" {
			faults = append(faults, r.Pod+" "+why)
		}
	}
	if len(faults) == 0 {
		return passed
	}
	m.lookAgainIn(retryInterval)
	more := ""
	if len(faults) > 1 {
		more = fmt.Sprintf(", and %d more", len(faults)-1)
	}
	return wait(v1.WaitingForTransformers, "%d of %s of %s hold %s; %s%s", len(w.Reports)-len(faults), pods(int32(len(w.Reports)), ""), titleFor(u), chainTitle(hops), faults[0], more)
}

// noteDeclared names the versions whose transformers count although no pod was asked.
func (m *machine) noteDeclared() {
	for _, u := range m.units {
		if !m.in.Transformers.Declared || !isLive(u) || u.Weight == 0 {
			continue
		}
		if hops := m.neededHops(u.Version); len(hops) > 0 {
			m.notes = append(m.notes, fmt.Sprintf("%s counts as holding %s because it is recorded: gati-webhook has transformer-evidence: declared, and asks no pod.", titleFor(u), chainTitle(hops)))
		}
	}
}

// refuseUnreported keeps a template from the one workload of a RollingUpdate where its pods
// need transformers: they would serve before they can report.
func (m *machine) refuseUnreported(run *v1.UnitRef) verdict {
	hops := m.neededHops(run.Version)
	if len(hops) == 0 || m.in.Transformers.Declared {
		return passed
	}
	return wait(v1.WaitingForTransformers, "%s needs %s for callers of %s, and under RollingUpdate its pods would serve before they report that they hold it; use the strategy Canary, or move the contract: kubectl gati version contract HANDLER VERSION", run.Title(), chainTitle(hops), m.contractVersion())
}

// noPodsAhead returns why there can be no pods to report, for the end of a sentence.
func (m *machine) noPodsAhead() string {
	if m.in.Policy.Gateway || !m.isManual() {
		return ""
	}
	return "; without spec.route a version has pods only with traffic: set spec.route, or use the strategy Canary"
}

// lacksTransformers returns which pod of a target with traffic says that it lacks a hop:
// callers of the contract get errors from it. Pods that say nothing hold the weight only.
func lacksTransformers(m *machine, target *unit, _ Step) string {
	hops := m.neededHops(target.Version)
	if target.Weight == 0 || len(hops) == 0 || m.in.Transformers.Declared || !m.isFrontOpenTo(target) {
		return ""
	}
	for _, r := range m.in.Workloads[target.Workload].Reports {
		if r.Problem != "" || m.isStale(r) || r.Hash != m.in.Transformers.Hash || r.Contract != m.contractVersion() {
			continue
		}
		if lacked := r.findLacked(hops); len(lacked) > 0 {
			return fmt.Sprintf("pod %s reports that it lacks %s%s, which callers of %s need", r.Pod, chainTitle(lacked[:1]), m.functionsTitle(lacked[0]), m.contractVersion())
		}
	}
	return ""
}

// describeFailedHops names the transformers that pods of a unit report to have failed, for the
// end of a sentence: they answer with 500.
func (m *machine) describeFailedHops(u *unit) string {
	var out string
	var told []Hop
	for _, r := range m.in.Workloads[u.Workload].Reports {
		for _, h := range r.Failed {
			if !slices.Contains(told, h) {
				told = append(told, h)
				out += fmt.Sprintf("; the transformer %s%s has failed in pod %s", chainTitle([]Hop{h}), m.functionsTitle(h), r.Pod)
			}
		}
	}
	return out
}

// findLacked returns the hops that a pod does not hold.
func (r PodReport) findLacked(hops []Hop) []Hop {
	return slices.DeleteFunc(slices.Clone(hops), func(h Hop) bool { return slices.Contains(r.Loaded, h) })
}

// isStale reports whether a report is too old to be about now.
func (m *machine) isStale(r PodReport) bool {
	return m.isFromAnotherClock(r.At) || m.in.Now.Sub(r.At) > m.in.Policy.maxAge(reportInterval)
}

// watchReports notes since when the handler waits for reports. A wait that lasts longer than
// the progress deadline needs a user; it still ends by itself when the pods report.
func (m *machine) watchReports() {
	if w := m.ro.WaitingFor; w == nil || w.Reason != v1.WaitingForTransformers {
		m.ro.UnreportedSince = nil
		return
	}
	if m.ro.UnreportedSince == nil {
		m.ro.UnreportedSince = m.stampNow()
	}
	m.stalled = m.stalled || m.timeLeft(m.ro.UnreportedSince, m.in.Policy.ProgressDeadline) == 0
}

// findReportFault returns why a pod does not count as holding hops; empty where it does.
func (m *machine) findReportFault(r PodReport, hops []Hop) string {
	lacked := r.findLacked(hops)
	switch {
	case r.At.IsZero() && r.Problem == "":
		return "was not asked yet"
	case r.Problem != "":
		return r.Problem
	case m.isStale(r):
		return "was last asked too long ago"
	case r.Hash != m.in.Transformers.Hash || r.Contract != m.contractVersion():
		return "has not read the current file of transformers yet"
	case len(lacked) > 0 && len(hops) > 1:
		return "lacks " + chainTitle(lacked[:1]) + m.functionsTitle(lacked[0])
	case len(lacked) > 0:
		return "lacks it" + m.functionsTitle(lacked[0])
	}
	return ""
}

// functionsTitle names the functions that a hop is recorded with, for the end of a
// sentence.
func (m *machine) functionsTitle(h Hop) string {
	if names := m.in.Transformers.Functions[h]; names != "" {
		return fmt.Sprintf(" (%s)", names)
	}
	return ""
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
func (m *machine) reportEvery(u *unit) time.Duration {
	if !isLive(u) || m.in.Transformers.Declared || len(m.neededHops(u.Version)) == 0 {
		return m.releaseEvery(u)
	}
	raised := m.isUnit(u, m.ro.Target) || m.isManual() && m.byRecord[u] > u.Weight
	if !raised && m.isFrontOpenTo(u) {
		return m.releaseEvery(u)
	}
	return reportInterval
}

// limitToReported returns the goal without what pods have not reported to hold, and what
// is waited for. The weight stays where it is.
func (m *machine) limitToReported(goal weights) (weights, verdict) {
	out, excess, hold := weights{}, int32(0), passed
	for u, w := range goal {
		out[u] = w
	}
	for _, u := range m.units {
		more := out[u] - u.Weight
		if !isLive(u) || more <= 0 {
			continue
		}
		if v := m.awaitReports(u); !v.pass() {
			out[u] -= more
			excess += more
			if hold.pass() {
				hold = v
			}
		}
	}
	for _, u := range m.units {
		back := min(excess, max(0, u.Weight-out[u]))
		out[u] += back
		excess -= back
	}
	return out, hold
}

// isFrontOpenTo reports whether a unit may be reached through the front Service where the
// pods are the traffic: it has weight already, or its pods hold what they need.
func (m *machine) isFrontOpenTo(u *unit) bool {
	isTarget := m.isUnit(u, m.ro.Target)
	switch {
	case m.in.Policy.Gateway, m.isManual(), !isLive(u), m.isUnit(u, m.ro.Stable):
		return true
	case isTarget && (m.ro.Step > 0 || m.ro.StepStartedAt != nil), !isTarget && u.Weight > 0:
		return true
	}
	return m.awaitReports(u).pass()
}
