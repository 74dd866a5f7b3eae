package handler

import (
	"slices"
	"time"

	v1 "gati.dev/gati/api/v1"
)

// patience is how long a change of the status that is not material may wait for others: each
// write costs the API server more than all else.
const patience = 3 * time.Second

// materialPart returns the part of a status that later decisions use, or that users and
// tools wait for. A difference there is written at once, any other after patience at the
// latest. A field that is not named here is material.
func materialPart(of *v1.GatiHandlerStatus) *v1.GatiHandlerStatus {
	st := of.DeepCopy()
	// How far pods and children have come, in numbers and sentences.
	st.Replicas, st.ReadyReplicas, st.Ready, st.LastUpdated, st.Plan = 0, 0, "", nil, nil
	st.Children = slices.DeleteFunc(st.Children, func(c v1.ChildStatus) bool { return c.Message == "" })
	for i := range st.Conditions {
		st.Conditions[i].Message = ""
	}
	for i := range st.Versions {
		// That pods have metrics decides: they are not asked again once it is known. The rest
		// is seen again by a process that does not find it.
		v := &st.Versions[i]
		v.Record, v.Unserved = "", false
		if !v.IsMeasured() {
			v.TrafficSource = ""
		}
		if v.Phase == v1.VersionDecommissioned {
			v.Workload = ""
		}
	}
	if ro := st.Rollout; ro != nil {
		// The deadlines of pods and gateways count from their observation, which may be repeated
		// later.
		ro.MostReady, ro.ShortSince, ro.RefusedSince, ro.RouteGeneration = 0, nil, nil, 0
		ro.WaitingFor = materialWait(ro.WaitingFor)
	}
	return st
}

// materialWait returns the wait of a rollout, except for pods, their endpoints and the answer
// of a gateway: conditions turn where one of them needs a user.
func materialWait(w *v1.WaitingStatus) *v1.WaitingStatus {
	passing := []v1.WaitingReason{v1.WaitingForPods, v1.WaitingForEndpoints, v1.WaitingForGateway, v1.WaitingForRoute}
	if w == nil || slices.Contains(passing, w.Reason) {
		return nil
	}
	return &v1.WaitingStatus{Reason: w.Reason}
}
