package metrics

import (
	"k8s.io/apimachinery/pkg/api/meta"

	v1 "gati.dev/gati/api/v1"
)

// gauges are the series of a handler: no more than ten, as a test holds.
var gauges = []gauge{
	newGauge("ready", "Whether what the spec asks for serves: 1 or 0.", condition(v1.ConditionReady)),
	newGauge("stalled", "Whether somebody has to act before anything goes on: 1 or 0. The condition Stalled says who and what.", condition(v1.ConditionStalled)),
	newGauge("unmeasured", "Whether a decision waits for figures of traffic that nothing delivers: 1 or 0. The condition Measured says which.", unmeasured),
	newGauge("rollout_failed", "Whether the last rollout was rolled back or given up: 1 or 0, until the spec changes.", failed),
	newGauge("rollout_frozen", "Whether somebody has paused the rollout: 1 or 0.", frozen),
	newGauge("rollout_started_timestamp_seconds", "When the rollout that runs began. Absent while none does.", startedAt),
	newGauge("rollout_weight_percent", "The share of the traffic that the version which is rolled out is to have. Absent while none is.", weight),
	newGauge("versions_active", "Versions that run and may be called.", inPhase(v1.VersionActive)),
	newGauge("versions_draining", "Versions that take no new traffic and will go.", inPhase(v1.VersionDraining)),
	newGauge("versions_held", "Versions that get no weighted traffic because they break their callers.", held),
}

func unmeasured(h *v1.GatiHandler) (float64, bool) {
	return flag(meta.IsStatusConditionFalse(h.Status.Conditions, v1.ConditionMeasured)), true
}

func failed(h *v1.GatiHandler) (float64, bool) {
	r := h.Status.Rollout
	return flag(r != nil && r.Phase == v1.RolloutFailed), true
}

func frozen(h *v1.GatiHandler) (float64, bool) {
	r := h.Status.Rollout
	return flag(r != nil && r.Frozen != nil), true
}

// running is the rollout that is on its way; nil where none is.
func running(h *v1.GatiHandler) *v1.RolloutStatus {
	r := h.Status.Rollout
	if r == nil || r.Target == nil || r.StartedAt == nil {
		return nil
	}
	return r
}

func startedAt(h *v1.GatiHandler) (float64, bool) {
	if r := running(h); r != nil {
		return float64(r.StartedAt.Unix()), true
	}
	return 0, false
}

func weight(h *v1.GatiHandler) (float64, bool) {
	r := running(h)
	if r == nil {
		return 0, false
	}
	for _, v := range h.Status.Versions {
		if v.Workload == r.Target.Workload && v.Version == r.Target.Version {
			return float64(v.Weight), true
		}
	}
	return 0, true // It is admitted, and has no workload yet.
}

func inPhase(phase v1.VersionPhase) func(*v1.GatiHandler) (float64, bool) {
	return func(h *v1.GatiHandler) (float64, bool) {
		return counted(h, func(v *v1.VersionStatus) bool { return v.Phase == phase })
	}
}

func held(h *v1.GatiHandler) (float64, bool) {
	return counted(h, func(v *v1.VersionStatus) bool { return v.Held != "" })
}

func counted(h *v1.GatiHandler, is func(*v1.VersionStatus) bool) (n float64, _ bool) {
	for i := range h.Status.Versions {
		n += flag(is(&h.Status.Versions[i]))
	}
	return n, true
}
