package handler

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// patience is how long a change of the status may wait for others when it says only how
// far pods and children have come: each write costs the API server more than all else.
const patience = 3 * time.Second

// startPatience is how long it may wait when all pods of a first version are ready, and only
// their endpoints are to come.
const startPatience = 30 * time.Second

// canWait reports whether two statuses differ only in what may be written later, with
// the next change: no condition has another status or reason, and a reconciler that
// starts from the earlier one decides the same.
func canWait(was, is *v1.GatiHandlerStatus) bool {
	return equality.Semantic.DeepEqual(withoutProgress(was, is), withoutProgress(is, is))
}

// canWaitAtStart reports whether two statuses of a first version differ only in what may wait
// until it is ready: that its weight is accepted, and that some of its pods serve. No version
// was there before, so nothing is decided about traffic meanwhile.
func canWaitAtStart(was, is *v1.GatiHandlerStatus) bool {
	if was.Rollout == nil || is.Rollout == nil || was.Rollout.Phase != v1.RolloutStarting {
		return false
	}
	if is.Rollout.Phase != v1.RolloutStarting && is.Rollout.Phase != v1.RolloutStable {
		return false
	}
	return canWait(withoutStart(was), withoutStart(is))
}

// withoutStart returns a status without what changes while a first version starts.
func withoutStart(st *v1.GatiHandlerStatus) *v1.GatiHandlerStatus {
	out := st.DeepCopy()
	out.Serving = ""
	out.Rollout.Phase, out.Rollout.WaitingFor = v1.RolloutStarting, nil
	for i := range out.Versions {
		out.Versions[i].AcceptedWeight, out.Versions[i].ExposedWeight = nil, 0
	}
	if c := meta.FindStatusCondition(out.Conditions, v1.ConditionAvailable); c != nil && c.Status == metav1.ConditionFalse {
		c.Reason = ""
	}
	return out
}

// withoutProgress returns a status without what may wait until it is that of next.
func withoutProgress(st, next *v1.GatiHandlerStatus) *v1.GatiHandlerStatus {
	out := st.DeepCopy()
	out.Replicas, out.ReadyReplicas, out.Ready, out.LastUpdated = 0, 0, "", nil
	out.Children = slices.DeleteFunc(out.Children, func(c v1.ChildStatus) bool { return c.Message == "" })
	for i := range out.Conditions {
		out.Conditions[i].Message = ""
	}
	for i := range out.Versions {
		// That pods have metrics is written at once: they are not asked again once it is known,
		// so a later turn would not know.
		if i >= len(next.Versions) || !next.Versions[i].IsMeasured() {
			out.Versions[i].TrafficSource = ""
		}
		// That a version has had a ready pod is seen again as long as it has one.
		out.Versions[i].Unserved = out.Versions[i].Unserved && i < len(next.Versions) && next.Versions[i].Unserved
		if out.Versions[i].Phase == v1.VersionDecommissioned {
			out.Versions[i].Workload = "" // Its children are gone, or go.
		}
	}
	if ro := out.Rollout; ro != nil {
		ro.MostReady, ro.WaitingFor = 0, summarized(ro.WaitingFor)
		if next.Rollout != nil && next.Rollout.ShortSince == nil {
			ro.ShortSince = nil
		}
		if next.Rollout != nil && next.Rollout.RouteGeneration >= ro.RouteGeneration {
			ro.RouteGeneration = 0 // That of a route made anew begins at 1, and does not wait.
		}
	}
	return out
}

// withoutTraces returns a status with all of next that is not worth a write by itself: a new
// process sees it anew.
func withoutTraces(st, next *v1.GatiHandlerStatus) *v1.GatiHandlerStatus {
	return withStarted(withRemoved(withSources(withRoute(st, next), next), next), next)
}

// withStarted returns a status with the number of pods that next has, where none of a first
// version is ready.
func withStarted(st, next *v1.GatiHandlerStatus) *v1.GatiHandlerStatus {
	if next.Rollout == nil || next.Rollout.Phase != v1.RolloutStarting || next.ReadyReplicas > 0 {
		return st
	}
	out := *st
	out.Replicas = next.Replicas
	return &out
}

// withRemoved returns a status without the workloads of decommissioned versions that next has
// no more: that they are gone is seen again.
func withRemoved(st, next *v1.GatiHandlerStatus) *v1.GatiHandlerStatus {
	out := *st
	out.Versions = slices.Clone(st.Versions)
	for i := range min(len(st.Versions), len(next.Versions)) {
		if was, is := &out.Versions[i], &next.Versions[i]; was.Phase == v1.VersionDecommissioned && is.Phase == v1.VersionDecommissioned && is.Workload == "" {
			was.Workload = ""
		}
	}
	return &out
}

// withRoute returns a status with the generation of the route that next has: by itself
// it is not worth a write, as a new process reads the route anew.
func withRoute(st, next *v1.GatiHandlerStatus) *v1.GatiHandlerStatus {
	if st.Rollout == nil || next.Rollout == nil || next.Rollout.RouteGeneration < st.Rollout.RouteGeneration {
		return st
	}
	out := *st
	out.Rollout = st.Rollout.DeepCopy()
	out.Rollout.RouteGeneration = next.Rollout.RouteGeneration
	return &out
}

// withSources returns a status with what measures each version in next. By itself it is not
// worth a write, except that its pods have metrics.
func withSources(st, next *v1.GatiHandlerStatus) *v1.GatiHandlerStatus {
	out := *st
	out.Versions = slices.Clone(st.Versions)
	for i := range min(len(st.Versions), len(next.Versions)) {
		if v := next.Versions[i]; !v.IsMeasured() {
			out.Versions[i].TrafficSource = v.TrafficSource
		}
	}
	return &out
}

// summarized returns what a rollout waits for without its numbers. Pods and their
// endpoints are one: both come by themselves.
func summarized(w *v1.WaitingStatus) *v1.WaitingStatus {
	if w == nil {
		return nil
	}
	out := &v1.WaitingStatus{Reason: w.Reason, Until: w.Until}
	if w.Reason == v1.WaitingForPods || w.Reason == v1.WaitingForEndpoints {
		out.Reason, out.Until = v1.WaitingForPods, nil
	}
	return out
}
