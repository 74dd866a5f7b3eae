package statustest

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/status"
)

// DrainingZero is Draining where the traffic of the old version is measured, and
// there has been none for three minutes.
func DrainingZero() status.Objects {
	since := Ago(3 * time.Minute)
	return measured(v1.EvidenceStatus{State: v1.EvidenceZero, ZeroSince: &since, LastRequest: &since},
		v1.StaysDrainWindow, 2*time.Minute, "no requests measured; it is removed when that has lasted for drain.window (5m)")
}

// DrainingCalled is Draining while a client still calls the old version.
func DrainingCalled() status.Objects {
	last := Ago(4 * time.Second)
	return measured(v1.EvidenceStatus{State: v1.EvidenceBusy, LastRequest: &last}, v1.StaysStillCalled, 0, "it is still called")
}

// DrainingSilent is Draining where what measures does not answer.
func DrainingSilent() status.Objects {
	const why = "pod handler-users--main-a answers /metrics with 503"
	return measured(v1.EvidenceStatus{State: v1.EvidenceUnknown, Message: why},
		v1.StaysTrafficUnknown, 0, "its traffic cannot be measured ("+why+"), and missing data is not zero")
}

func measured(e v1.EvidenceStatus, reason v1.StaysReason, left time.Duration, message string) status.Objects {
	objs := Draining()
	at := Ago(2 * time.Second)
	e.Source, e.MeasuredAt = "pods", &at
	for i := range objs.Handlers[0].Status.Versions {
		objs.Handlers[0].Status.Versions[i].TrafficSource = "pods"
	}
	objs.Handlers[0].Status.Versions[0].Evidence = &e
	Stay(&objs, reason, left, message)
	return objs
}

// Held is a version that breaks its callers: it is reached by its header alone.
func Held() status.Objects {
	h := rolling(0)
	const why = "it breaks callers of v1.0.0 (input.email: it is required now), and there is no transformer from v1.0.0 to v2.0.0"
	h.Stalled(v1.ReasonBreaking, "Version v1.0.0 serves all traffic with 4 of 4 pods ready. v2.0.0 gets no weighted traffic: "+why+".")
	h.Condition(v1.ConditionCompatible, metav1.ConditionFalse, "Breaking", "Version v2.0.0 gets no weighted traffic: "+why+".\nkubectl gati version diff users v1.0.0 v2.0.0 shows all of it.")
	ro := h.Status.Rollout
	ro.Phase, ro.Mode, ro.Target, ro.History = v1.RolloutStable, "", nil, nil
	h.Waiting(v1.WaitingForCompatibility, 0, "v2.0.0 gets no weighted traffic: "+why)
	h.Status.Versions[1].Held, h.Status.Versions[1].Breaking = why, true
	return world(h, 1, 1)
}

// Contract is Draining after a version that breaks callers of the one before and serves
// them through transformers: callers without a version still speak the old one.
func Contract() status.Objects {
	objs := Draining()
	st := &objs.Handlers[0].Status
	st.Versions[0].Run, st.Versions[1].Run = "v1.0.0", "v2.0.0"
	st.Versions[1].Serves, st.Versions[1].Breaking = []string{"v1.0.0"}, true
	st.Rollout.Contract = &v1.ContractStatus{Version: "v1.0.0", Deed: v1.Deed{By: v1.FieldManager, At: Ago(40 * time.Minute)}}
	return objs
}
