package statustest

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/status"
)

// usersV2 is the workload of the version that the rollouts bring.
var usersV2 = OfHandler("users", "v2-0-0")

// rollouts are the scenarios of a handler with several versions.
func rollouts() map[string]status.Objects {
	return map[string]status.Objects{
		"rollout-step":      AtStep(),
		"rollout-promotion": AwaitingPromotion(),
		"rollout-frozen":    Frozen(),
		"rollout-short":     TooFewPods(),
		"rollout-back":      RollingBack(),
		"rollout-rejected":  Rejected(),
		"rollout-failed":    RolloutFailed(),
		"rollout-refused":   GatewayRefuses(),
		"rollout-lag":       GatewayLags(),
		"rollout-split":     NoGateway(),
		"rollout-manual":    Manual(),
		"rollout-pinned":    PinnedByRollback(),
		"rollout-analysis":  Analysed(),
		"rollout-watched":   Watched(),
		"rollout-check":     Checked(),
		"draining":          Draining(),
		"draining-called":   DrainingCalled(),
		"draining-silent":   DrainingSilent(),
		"draining-zero":     DrainingZero(),
		"held":              Held(),
		"contract":          Contract(),
		"frozen-idle":       FrozenIdle(),
	}
}

// rolling is a handler that goes from v1.0.0 to v2.0.0 through a gateway, with
// the second version at a weight that the gateway has accepted.
func rolling(weight int32) *Handler {
	h := MakeHandler("users").Strategy(v1.StrategyCanary).Routed()
	h.Spec.Version, h.Spec.Image = "v2.0.0", "my-app:v2.0.0"
	h.Seen(v1.PhaseRunning, "4/4").
		Version("v1.0.0", 1, v1.WorkloadMain, 100-weight).Accepted(100-weight).
		Version("v2.0.0", 2, "v2-0-0", weight).Accepted(weight)
	for i := range h.Status.Versions {
		admitted := Ago(time.Duration(3-i) * time.Hour)
		h.Status.Versions[i].AdmittedAt = &admitted
	}
	started := Ago(9 * time.Minute)
	h.Status.Rollout = &v1.RolloutStatus{
		Phase: v1.RolloutProgressing, Mode: v1.RolloutSteps, StartedAt: &started,
		Stable: ref("v1.0.0", v1.WorkloadMain), Target: ref("v2.0.0", "v2-0-0"),
		History: []v1.HistoryEntry{did("gati-webhook", 9*time.Minute, "Started", "v1.0.0", "v2.0.0", "")},
	}
	return h
}

func ref(version, workload string) *v1.UnitRef {
	return &v1.UnitRef{Version: version, RevisionNumber: 1, Workload: workload}
}

func did(by string, ago time.Duration, what, from, to, why string) v1.HistoryEntry {
	return v1.HistoryEntry{Deed: v1.Deed{By: by, At: Ago(ago)}, What: what, From: from, To: to, Why: why}
}

// world puts the handler together with its records and pods: four of v1.0.0 and
// as many of v2.0.0 as are asked for and ready.
func world(h *Handler, ready, desired int32) status.Objects {
	objs := status.Objects{
		Namespace: Namespace,
		Handlers:  []v1.GatiHandler{h.Obj()},
		Versions: []v1.GatiVersion{
			MakeRecord("users-main", "users", "v1.0.0").Obj(),
			MakeRecord("users-v2-0-0", "users", "v2.0.0").Obj(),
		},
		Deployments: []appsv1.Deployment{Deployment(users, 4, 4), Deployment(usersV2, ready, desired)},
	}
	for _, suffix := range []string{"a", "b", "c", "d"} {
		objs.Pods = append(objs.Pods, MakePod(users, suffix).Obj())
	}
	for i := range desired {
		if pod := MakePod(usersV2, string('a'+i)); i < ready {
			objs.Pods = append(objs.Pods, pod.Obj())
		} else {
			objs.Pods = append(objs.Pods, pod.Age(5*time.Second).Waiting("ContainerCreating", "").Obj())
		}
	}
	return objs
}

// stepped is rolling with the pause of a step under way.
func stepped(weight, step int32, since time.Duration) *Handler {
	h := rolling(weight)
	h.Status.Rollout.Step = step
	at := Ago(since)
	h.Status.Rollout.StepStartedAt = &at
	return h
}

// atStep is a rollout in the pause of its second step.
func atStep() *Handler {
	return stepped(50, 1, 7*time.Minute).Waiting(v1.WaitingForPause, 3*time.Minute, "v2.0.0 has 50 % (step 2 of 3); 100 % is next")
}

// AtStep is a rollout in the pause of its second step.
func AtStep() status.Objects { return world(atStep(), 2, 2) }

// AwaitingPromotion is a rollout at a step without a length, with spare pods for the next.
func AwaitingPromotion() status.Objects {
	h := stepped(20, 0, 7*time.Minute)
	h.Status.Rollout.SparePods = 2
	h.Spec.Rollout.Steps = []v1.RolloutStep{{Weight: 20}, {Weight: 60, Pause: "10m"}}
	h.Waiting(v1.WaitingForPromotion, 0, "v2.0.0 has 20 % (step 1 of 3) until it is promoted; 60 % is next")
	return world(h, 1, 1)
}

// Frozen is a rollout that a user paused.
func Frozen() status.Objects {
	h := stepped(10, 0, 3*time.Minute).Waiting(v1.WaitingForResume, 0, "Paused by jane at step 1 of 3 (10 %)")
	h.Status.Rollout.Frozen = &v1.Deed{By: "jane", At: Ago(2 * time.Minute)}
	return world(h, 1, 1)
}

// FrozenIdle is a handler that a user paused while nothing was rolled out.
func FrozenIdle() status.Objects {
	h := readyHandler()
	h.Status.Rollout = &v1.RolloutStatus{
		Phase: v1.RolloutStable, Mode: v1.RolloutInPlace, Stable: ref("v1.0.0", v1.WorkloadMain),
		Frozen: &v1.Deed{By: "jane", At: Ago(2 * time.Minute)},
	}
	return status.Objects{
		Namespace: Namespace, Handlers: []v1.GatiHandler{h.Obj()},
		Deployments: []appsv1.Deployment{Deployment(users, 2, 2)},
	}
}

// TooFewPods is a rollout that waits for pods.
func TooFewPods() status.Objects {
	h := rolling(10)
	h.Status.Rollout.Step = 1
	since := Ago(4 * time.Minute)
	h.Status.Rollout.ShortSince, h.Status.Rollout.MostReady = &since, 1
	h.Waiting(v1.WaitingForPods, 6*time.Minute, "v2.0.0 has 1 of the 2 ready pods that 50 % needs (step 2 of 3)")
	return world(h, 1, 2)
}

// RollingBack is a rollout that has failed and gives the traffic back.
func RollingBack() status.Objects {
	h := rolling(30)
	ro, why := h.Status.Rollout, "its containers restarted 4 times, the limit is 3; 1 of 2 pods ready"
	ro.Phase, ro.Mode, ro.Target = v1.RolloutRollingBack, "", nil
	ro.Rejected = []v1.RejectedStatus{{UnitRef: *ref("v2.0.0", "v2-0-0"), Reason: why, At: Ago(5 * time.Second)}}
	h.Waiting(v1.WaitingForPods, 0, "rolling back to v1.0.0 (70 % so far, 4 of 4 pods ready): "+why)
	ro.History = append(ro.History,
		did("gati-webhook", 5*time.Second, "RolledBack", "v2.0.0 50 %", "v1.0.0 100 %", why),
		did("jane", 2*time.Second, "Refused", "promote", "", "nothing is being rolled out"))
	return world(h, 2, 2)
}

// Rejected is a handler whose new version failed; its pods still crash.
func Rejected() status.Objects {
	h := rolling(0)
	ro := h.Status.Rollout
	ro.Phase, ro.Mode, ro.Target = v1.RolloutStable, "", nil
	ro.Rejected = []v1.RejectedStatus{{
		UnitRef: *ref("v2.0.0", "v2-0-0"), At: Ago(20 * time.Minute),
		Reason: "its containers restarted 4 times, the limit is 3; 0 of 1 pods ready",
	}}
	h.Waiting(v1.WaitingForSpecChange, 0, "v2.0.0 is not tried again until the spec changes: "+ro.Rejected[0].Reason)
	h.Stalled(v1.ReasonRejected, "Version v1.0.0 serves all traffic with 4 of 4 pods ready. "+ro.WaitingFor.Message+".")
	objs := world(h, 0, 1)
	objs.Pods[len(objs.Pods)-1] = MakePod(usersV2, "a").Waiting("CrashLoopBackOff", "back-off 5m0s").Died("Error", 1, 4).Obj()
	return objs
}

// RolloutFailed is a failed rollout that does not go back by itself.
func RolloutFailed() status.Objects {
	h, no := rolling(50), false
	h.Spec.Rollout.AutoRollback = &no
	ro := h.Status.Rollout
	ro.Phase, ro.Step, ro.Failure = v1.RolloutFailed, 1, "its success rate is 93.1 %, the threshold is at least 99 % (1840 samples)"
	h.Waiting(v1.WaitingForAction, 0, "v2.0.0 failed at 50 %: "+ro.Failure+"; autoRollback is off: retry, promote, abort or roll back")
	h.Stalled(v1.ReasonRolloutFailed, ro.WaitingFor.Message+".")
	return world(h, 2, 2)
}

// GatewayRefuses is a rollout whose route a parent does not accept.
func GatewayRefuses() status.Objects {
	h := rolling(10)
	since, accepted := Ago(3*time.Minute), int32(0)
	h.Status.Rollout.RefusedSince, h.Status.Versions[1].AcceptedWeight = &since, &accepted
	h.Status.Versions[1].ExposedWeight = 10
	h.Waiting(v1.WaitingForRoute, 7*time.Minute, "v2.0.0 comes to 10 % (step 1 of 3); Gateway edge does not accept the route: no listener matches the hostnames")
	h.Condition(v1.ConditionReconciling, metav1.ConditionTrue, "Progressing", h.Status.Rollout.WaitingFor.Message+"; deadline 12:07:00 UTC.")
	return world(h, 1, 1)
}

// GatewayLags is a rollout whose weight the gateway has not taken over yet.
func GatewayLags() status.Objects {
	h := rolling(50)
	h.Status.Rollout.Step = 1
	h.Waiting(v1.WaitingForGateway, 0, "v2.0.0 comes to 50 % (step 2 of 3); the route does not show the weights yet")
	stable, target := int32(90), int32(10)
	h.Status.Versions[0].AcceptedWeight, h.Status.Versions[1].AcceptedWeight = &stable, &target
	return world(h, 2, 2)
}

// NoGateway is a rollout that numbers of pods split.
func NoGateway() status.Objects {
	h := stepped(10, 0, 4*time.Minute)
	h.Spec.Route = nil
	h.Waiting(v1.WaitingForPause, time.Minute, "v2.0.0 has 20 % (step 1 of 3; 1 of 5 pods for 10 %); 60 % is next")
	stable, target := int32(80), int32(20)
	h.Status.Versions[0].AcceptedWeight, h.Status.Versions[1].AcceptedWeight = &stable, &target
	return world(h, 1, 1)
}

// Manual is a handler whose records share its traffic.
func Manual() status.Objects {
	h := MakeHandler("users").Strategy(v1.StrategyManual).Routed()
	h.Spec.Version, h.Spec.Image = "v3.0.0", "my-app:v3.0.0"
	h.Seen(v1.PhaseRunning, "4/4").
		Condition(v1.ConditionReady, metav1.ConditionTrue, "Ready", "v1.0.0 70 %, v2.0.0 20 %, v3.0.0 10 %: requested by the version records.").
		Version("v1.0.0", 1, v1.WorkloadMain, 70).Accepted(70).
		Version("v2.0.0", 2, "v2-0-0", 20).Accepted(20).
		Version("v3.0.0", 3, "v3-0-0", 10).Accepted(10)
	h.Status.Rollout = &v1.RolloutStatus{Phase: v1.RolloutStable, Stable: ref("v1.0.0", v1.WorkloadMain)}
	objs := world(h, 1, 1)
	objs.Versions = []v1.GatiVersion{
		MakeRecord("users-main", "users", "v1.0.0").Traffic(70).Obj(),
		MakeRecord("users-v2-0-0", "users", "v2.0.0").Traffic(20).Obj(),
		MakeRecord("users-v3-0-0", "users", "v3.0.0").Traffic(10).Obj(),
	}
	v3 := OfHandler("users", "v3-0-0")
	objs.Deployments = append(objs.Deployments, Deployment(v3, 1, 1))
	objs.Pods = append(objs.Pods, MakePod(v3, "a").Obj())
	return objs
}

// PinnedByRollback is a handler that a user took back to the version before.
func PinnedByRollback() status.Objects {
	h := rolling(0)
	ro := h.Status.Rollout
	ro.Phase, ro.Mode, ro.Target, ro.Previous = v1.RolloutStable, "", nil, ref("v2.0.0", "v2-0-0")
	ro.Pinned = &v1.PinnedStatus{UnitRef: *ref("v1.0.0", v1.WorkloadMain), Deed: v1.Deed{By: "jane", At: Ago(15 * time.Minute)}}
	h.Waiting(v1.WaitingForSpecChange, 0, "rolled back to v1.0.0 by jane until the spec changes")
	h.Stalled(v1.ReasonRolledBack, "Version v1.0.0 serves all traffic with 4 of 4 pods ready. rolled back to v1.0.0 by jane until the spec changes.")
	ro.Requests = []v1.HandledRequest{{ID: "3f8e2a52-5b0c-4f57-9d0e-6f4b8f1f7c11", Request: "rollback", Outcome: "it goes back to v1.0.0 and stays there until the spec changes"}}
	ro.History = append(ro.History, did("jane", 15*time.Minute, "Requested", "rollback", "", "it goes back to v1.0.0 and stays there until the spec changes"))
	return world(h, 1, 1)
}

// Draining is a handler whose version before is on its way out.
func Draining() status.Objects {
	h := rolling(100)
	ro := h.Status.Rollout
	ro.Phase, ro.Mode, ro.Target = v1.RolloutStable, "", nil
	ro.Stable, ro.Previous = ref("v2.0.0", "v2-0-0"), ref("v1.0.0", v1.WorkloadMain)
	since, superseded := Ago(18*time.Minute), Ago(19*time.Minute)
	v1status := &h.Status.Versions[0]
	v1status.Phase, v1status.DrainingSince, v1status.SupersededAt = v1.VersionDraining, &since, &superseded
	objs := world(h, 2, 2)
	objs.Pods[0] = MakePod(users, "a").Unready().Obj()
	objs.Handlers[0].Status.Versions[0].TrafficSource = v1.TrafficSourceNone
	Stay(&objs, v1.StaysDrainDeadline, 42*time.Minute, "no traffic metrics, so drain.deadline decides")
	return objs
}

// Stay has the first version of Draining stay for a reason, with the controller's
// condition about it. A time of 0 is none.
func Stay(objs *status.Objects, reason v1.StaysReason, left time.Duration, message string) {
	st := &objs.Handlers[0].Status
	stays := &v1.StaysStatus{Reason: reason, Message: message}
	note := "v1.0.0 stays: " + message + "."
	if left > 0 {
		at := Ago(-left)
		stays.NotBefore, note = &at, fmt.Sprintf("v1.0.0 stays until %s UTC: %s.", at.UTC().Format(time.TimeOnly), message)
	}
	st.Versions[0].Stays = stays
	st.Conditions = []metav1.Condition{condition(v1.ConditionReady, metav1.ConditionTrue, "Ready", "Version v2.0.0 serves all traffic with 2 of 2 pods ready. "+note)}
}

// Analysed is AtStep with an analysis: one metric is healthy so far, one passes, and a
// query has failed once.
func Analysed() status.Objects {
	h := atStep()
	limit := int32(2)
	h.Spec.Rollout.Analysis = &v1.Analysis{Window: "1m", FailureLimit: &limit, Metrics: []v1.AnalysisMetric{{SuccessRate: &v1.SuccessRate{Min: "99"}}}}
	at, passes := Ago(10*time.Second), Ago(-3*time.Minute)
	h.Status.Rollout.Analysis = []v1.MetricStatus{
		{
			Name: "success rate", Verdict: v1.AnalysisInconclusive, Value: "99.3 %", Threshold: "at least 99 %", Samples: 140, MeasuredAt: &at,
			Counted: &v1.CountedStatus{
				Target: v1.RequestCounts{Requests: 140, Bad: 1}, Stable: &v1.RequestCounts{Requests: 1204, Bad: 3},
				Odds: "0.82", RejectAt: "200", Outlook: v1.OutlookHealthy, Missing: 258, PassesAt: &passes, WouldShow: "9.1 %",
			},
		},
		{
			Name: "p99 latency", Verdict: v1.AnalysisPass, Value: "0.2 % over 500 ms", Threshold: "at most 1 % over 500 ms (the bucket above 300 ms, times 1.7)", Samples: 840, MeasuredAt: &at,
			Counted: &v1.CountedStatus{Target: v1.RequestCounts{Requests: 840, Bad: 2}, Odds: "0.4", RejectAt: "200", WouldShow: "3.1 %"},
		},
		{Name: "queue length", Verdict: v1.AnalysisFail, Value: "340", Threshold: "at most 300", Samples: 140, Failures: 1, MeasuredAt: &at},
		{Name: "cache misses", Verdict: v1.AnalysisNoData, Message: "the query gives no number"},
	}
	return world(h, 2, 2)
}
