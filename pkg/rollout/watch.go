package rollout

import (
	"fmt"

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
	if ro.Phase != v1.RolloutStable || ro.Mode != "" || ro.Pinned != nil || len(ro.Analysis) == 0 ||
		!isLive(before) || began == nil || ended == nil || !ended.After(began.Time) {
		return nil
	}
	return ended
}

// isWatched reports whether the stable version is still judged: rollbackWindow is not over,
// and the version before may serve again.
func (m *machine) isWatched() bool {
	before := m.findUnit(m.ro.Previous)
	if m.in.Policy.Analysis == nil || m.in.Policy.Strategy != v1.StrategyCanary || before == nil {
		return false
	}
	return watchedSince(m.ro, before) != nil && m.retention.isWarm(before) && m.contracts.findBar(before) == "" && m.rejectionFor(before) == ""
}

// watchPromoted continues the tests of the promoted version. It reports whether they have
// rolled it back. Queries have ended with the last step.
func (m *machine) watchPromoted(stable *unit) bool {
	if !m.isWatched() {
		return false
	}
	p, was, rejected := m.in.Policy.Analysis, m.ro.Analysis, ""
	m.ro.Analysis = nil
	for _, before := range was {
		metric, counts := p.findCounted(before.Name)
		if !counts {
			m.ro.Analysis = append(m.ro.Analysis, before)
			continue
		}
		after := m.judgeMetric(metric, before, stable)
		m.ro.Analysis = append(m.ro.Analysis, after)
		if m.judging.isRejectedBy(after) && !p.DryRun {
			rejected = m.judging.describeRejection(after)
			m.reportUnwanted(before, stable, rejected)
		}
	}
	m.lookAgainIn(p.Interval)
	if rejected == "" || !m.in.Policy.AutoRollback {
		m.noteWatch(stable, rejected)
		return false
	}
	m.returnToPrevious(stable, rejected)
	return true
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

// reportUnwanted tells once that a promoted version has failed, where autoRollback is off.
func (m *machine) reportUnwanted(before v1.MetricStatus, stable *unit, why string) {
	if !m.in.Policy.AutoRollback && !m.judging.isRejectedBy(before) {
		m.recordWarning(machineName, "Failed", describeShare(titleFor(stable), stable.Weight), "", why)
	}
}

// noteWatch notes that the stable version is judged, or has failed and stays.
func (m *machine) noteWatch(stable *unit, rejected string) {
	if rejected != "" {
		m.addNote("%s has failed since its promotion: %s; autoRollback is off: roll back.", titleFor(stable), rejected)
		return
	}
	until := m.deadlineAfter(m.findUnit(m.ro.Previous).SupersededAt, m.in.Policy.RollbackWindow)
	m.addNote("%s is judged by its requests until rollbackWindow is over at %s.", titleFor(stable), m.formatTime(until.Time))
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

// findFrontUnit returns the unit that the front Service selects beside a gateway: the
// stable one, unless that was superseded and cannot carry all traffic yet.
func (m *machine) findFrontUnit() *unit {
	stable := m.findUnit(m.ro.Stable)
	if stable == nil || stable.SupersededAt == nil || m.ro.Phase != v1.RolloutRollingBack {
		return stable
	}
	return m.findHeaviest()
}
