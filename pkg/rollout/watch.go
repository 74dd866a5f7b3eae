package rollout

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// WatchedSince returns since when the version of the last rollout is stable and still
// judged: it was promoted, and the version before is there to go back to. It is nil where
// the last rollout ended otherwise, or nothing was judged in it.
func WatchedSince(s State) *metav1.Time {
	if s.Rollout == nil || s.Rollout.Previous == nil {
		return nil
	}
	for i := range s.Versions {
		if u := &s.Versions[i]; *u.Ref() == *s.Rollout.Previous {
			return watchedSince(s.Rollout, u)
		}
	}
	return nil
}

// watchedSince is WatchedSince with the version before. A rollout that began after it was
// superseded has an analysis of its own.
func watchedSince(ro *v1.RolloutStatus, before *unit) *metav1.Time {
	began, ended := ro.StartedAt, before.SupersededAt
	if ro.Phase != v1.RolloutStable || ro.Mode != "" || ro.Pinned != nil || !wasJudged(ro) ||
		!isLive(before) || began == nil || ended == nil || !ended.After(began.Time) {
		return nil
	}
	return ended
}

// wasJudged reports whether anything judged the target of the last rollout.
func wasJudged(ro *v1.RolloutStatus) bool {
	return slices.ContainsFunc(ro.Analysis, func(s v1.MetricStatus) bool { return s.Counted != nil || s.Message != unmeasuredMessage })
}

// isWatched reports whether the stable version is still judged: rollbackWindow is not over,
// and the version before may serve again.
func (j judging) isWatched() bool {
	before := j.findUnit(j.ro.Previous)
	if j.policy == nil || j.roster.policy.Strategy != v1.StrategyCanary || before == nil {
		return false
	}
	return watchedSince(j.ro, before) != nil && j.retention.isWarm(before) && j.retention.findBar(before) == "" && j.rejectionFor(before) == ""
}

// reportUnwanted tells once that a promoted version has failed, where autoRollback is off.
func (j judging) reportUnwanted(before v1.MetricStatus, stable *unit, why string) {
	if !j.roster.policy.AutoRollback && !j.isRejectedBy(before) {
		j.recordWarning(machineName, "Failed", describeShare(titleFor(stable), stable.Weight), "", why)
	}
}

// noteWatch notes that the stable version is judged, or has failed and stays.
func (j judging) noteWatch(stable *unit, rejected string) {
	if rejected != "" {
		j.addNote("%s has failed since its promotion: %s; autoRollback is off: roll back.", titleFor(stable), rejected)
		return
	}
	until := j.deadlineAfter(j.findUnit(j.ro.Previous).SupersededAt, j.roster.policy.RollbackWindow)
	j.addNote("%s is judged by its requests until rollbackWindow is over at %s.", titleFor(stable), j.formatTime(until.Time))
}

// judgePromoted continues the tests of the promoted version, and returns why they take it
// back; empty where they do not. Queries have ended with the last step.
func (j judging) judgePromoted(stable *unit) (rejected string) {
	p, was := j.policy, j.ro.Analysis
	j.ro.Analysis = nil
	for _, before := range was {
		metric, counts := p.findCounted(before.Name)
		if !counts {
			j.ro.Analysis = append(j.ro.Analysis, before)
			continue
		}
		after := j.judgeMetric(metric, before, stable)
		j.ro.Analysis = append(j.ro.Analysis, after)
		if j.isRejectedBy(after) && !p.DryRun {
			rejected = j.describeRejection(after)
			j.reportUnwanted(before, stable, rejected)
		}
	}
	j.lookAgainIn(p.Interval)
	if rejected == "" || !j.roster.policy.AutoRollback {
		j.noteWatch(stable, rejected)
		return ""
	}
	return rejected
}

// watchPromoted reports whether the version that was promoted was taken back.
func (m *machine) watchPromoted(stable *unit) bool {
	if !m.judging.isWatched() {
		return false
	}
	rejected := m.judging.judgePromoted(stable)
	if rejected != "" {
		m.returnToPrevious(stable, rejected)
	}
	return rejected != ""
}

// findCounted returns the metric of a name, where it counts requests.
func (p *AnalysisPolicy) findCounted(name string) (Metric, bool) {
	for _, metric := range p.Metrics {
		if metric.Name == name && metric.Kind != Query {
			return metric, true
		}
	}
	return Metric{}, false
}

// returnToPrevious rejects the stable version, and makes the one before it stable again.
// Its SupersededAt stays until it has all weight: till then the front Service follows the
// weights.
func (m *machine) returnToPrevious(stable *unit, why string) {
	why = fmt.Sprintf("%s; promoted %s ago, and rollbackWindow is not over", why, formatDuration(m.elapsedSince(m.findUnit(m.ro.Previous).SupersededAt)))
	m.rejectUnit(stable.Ref(), why)
	m.ro.Stable, m.ro.Previous = m.ro.Previous, nil
	m.startRollback(stable, machineName, "RolledBack", why)
}
