package metrics

import (
	"k8s.io/apimachinery/pkg/api/meta"

	v1 "gati.dev/gati/api/v1"
)

// gauges are the series of a handler, at most ten.
var gauges = []gauge{
	newGauge("ready", "Whether the declared version serves all of its traffic: 1 or 0.", conditionIsTrue(v1.ConditionReady)),
	newGauge("stalled", "Whether progress needs an action of a user: 1 or 0. The condition Stalled names it.", conditionIsTrue(v1.ConditionStalled)),
	newGauge("unmeasured", "Whether a decision waits for traffic metrics that no source delivers: 1 or 0. The condition Measured names them.", isUnmeasured),
	newGauge("rollout_failed", "Whether the last rollout was rolled back or aborted: 1 or 0, until the spec changes.", rolloutFailed),
	newGauge("rollout_frozen", "Whether the rollout is paused by a user: 1 or 0.", rolloutFrozen),
	newGauge("rollout_started_timestamp_seconds", "Start of the running rollout. Absent while none runs.", rolloutStartedAt),
	newGauge("rollout_weight_percent", "The desired traffic weight of the version being rolled out. Absent while none is.", targetWeight),
	newGauge("versions_active", "Versions that run and accept calls.", versionsInPhase(v1.VersionActive)),
	newGauge("versions_draining", "Versions that are draining and will be removed.", versionsInPhase(v1.VersionDraining)),
	newGauge("versions_held", "Versions that get no weighted traffic because they break their callers.", heldVersions),
}

func isUnmeasured(h *v1.GatiHandler) (float64, bool) {
	return boolValue(meta.IsStatusConditionFalse(h.Status.Conditions, v1.ConditionMeasured)), true
}

func rolloutFailed(h *v1.GatiHandler) (float64, bool) {
	r := h.Status.Rollout
	return boolValue(r != nil && r.Phase == v1.RolloutFailed), true
}

func rolloutFrozen(h *v1.GatiHandler) (float64, bool) {
	r := h.Status.Rollout
	return boolValue(r != nil && r.Frozen != nil), true
}

// currentRollout returns the running rollout, nil if there is none.
func currentRollout(h *v1.GatiHandler) *v1.RolloutStatus {
	r := h.Status.Rollout
	if r == nil || r.Target == nil || r.StartedAt == nil {
		return nil
	}
	return r
}

func rolloutStartedAt(h *v1.GatiHandler) (float64, bool) {
	if r := currentRollout(h); r != nil {
		return float64(r.StartedAt.Unix()), true
	}
	return 0, false
}

func targetWeight(h *v1.GatiHandler) (float64, bool) {
	r := currentRollout(h)
	if r == nil {
		return 0, false
	}
	for _, v := range h.Status.Versions {
		if v.Workload == r.Target.Workload && v.Version == r.Target.Version {
			return float64(v.Weight), true
		}
	}
	return 0, true // admitted, without a workload yet
}

func versionsInPhase(phase v1.VersionPhase) func(*v1.GatiHandler) (float64, bool) {
	return func(h *v1.GatiHandler) (float64, bool) {
		return countVersions(h, func(v *v1.VersionStatus) bool { return v.Phase == phase })
	}
}

func heldVersions(h *v1.GatiHandler) (float64, bool) {
	return countVersions(h, func(v *v1.VersionStatus) bool { return v.Held != "" })
}

func countVersions(h *v1.GatiHandler, is func(*v1.VersionStatus) bool) (n float64, _ bool) {
	for i := range h.Status.Versions {
		n += boolValue(is(&h.Status.Versions[i]))
	}
	return n, true
}
