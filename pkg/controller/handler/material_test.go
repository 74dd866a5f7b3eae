package handler

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1 "gati.dev/gati/api/v1"
)

// TestMaterial holds which changes of a status are written at once.
func TestMaterial(t *testing.T) {
	now := metav1.NewTime(time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC))
	ready := func(status metav1.ConditionStatus, reason, message string) v1.GatiHandlerStatus {
		return v1.GatiHandlerStatus{Conditions: []metav1.Condition{{Type: v1.ConditionReady, Status: status, Reason: reason, Message: message}}}
	}
	rollout := func(ro v1.RolloutStatus) v1.GatiHandlerStatus { return v1.GatiHandlerStatus{Rollout: &ro} }
	waits := func(reason v1.WaitingReason, message string, until *metav1.Time) v1.GatiHandlerStatus {
		return rollout(v1.RolloutStatus{WaitingFor: &v1.WaitingStatus{Reason: reason, Message: message, Until: until}})
	}
	version := func(v v1.VersionStatus) v1.GatiHandlerStatus {
		return v1.GatiHandlerStatus{Versions: []v1.VersionStatus{v}}
	}
	child := func(message string) v1.GatiHandlerStatus {
		return v1.GatiHandlerStatus{Children: []v1.ChildStatus{{Kind: "Service", Name: "a", Message: message}}}
	}
	none := v1.GatiHandlerStatus{}
	for name, tc := range map[string]struct {
		was, is v1.GatiHandlerStatus
		want    bool
	}{
		"nothing":                    {none, none, false},
		"counts":                     {v1.GatiHandlerStatus{Ready: "1/2", ReadyReplicas: 1}, v1.GatiHandlerStatus{Ready: "2/2", ReadyReplicas: 2}, false},
		"the applied plan":           {none, v1.GatiHandlerStatus{Plan: &v1.PlanStatus{Applied: "1"}}, false},
		"a number in a message":      {ready("False", "Progressing", "1 of 2"), ready("False", "Progressing", "2 of 2"), false},
		"another reason":             {ready("False", "Progressing", ""), ready("False", "Refused", ""), true},
		"ready":                      {ready("False", "Ready", ""), ready("True", "Ready", ""), true},
		"another health":             {v1.GatiHandlerStatus{Health: v1.Healthy}, v1.GatiHandlerStatus{Health: v1.Degraded}, true},
		"another generation":         {v1.GatiHandlerStatus{ObservedGeneration: 1}, v1.GatiHandlerStatus{ObservedGeneration: 2}, true},
		"another serving version":    {v1.GatiHandlerStatus{Serving: "v1"}, v1.GatiHandlerStatus{Serving: "v2"}, true},
		"a claim of the route":       {none, v1.GatiHandlerStatus{Route: &v1.RouteStatus{Claims: []v1.ClaimStatus{{Claim: "a"}}}}, true},
		"a child":                    {none, child(""), false},
		"a child in trouble":         {child(""), child("refused"), true},
		"trouble that is over":       {child("refused"), child(""), true},
		"pods, then endpoints":       {waits(v1.WaitingForPods, "1 of 2", &now), waits(v1.WaitingForEndpoints, "2 of 2", nil), false},
		"the end of a wait":          {waits(v1.WaitingForPods, "", nil), rollout(v1.RolloutStatus{}), false},
		"then the gateway":           {waits(v1.WaitingForEndpoints, "", nil), waits(v1.WaitingForGateway, "", nil), false},
		"a parent that refuses":      {waits(v1.WaitingForGateway, "", nil), waits(v1.WaitingForRoute, "", &now), false},
		"since when it refuses":      {rollout(v1.RolloutStatus{}), rollout(v1.RolloutStatus{RefusedSince: &now}), false},
		"a wait for a user":          {waits(v1.WaitingForPods, "", nil), waits(v1.WaitingForPromotion, "", nil), true},
		"another deadline of a wait": {waits(v1.WaitingForGateway, "", nil), waits(v1.WaitingForGateway, "", &now), false},
		"pods are short":             {rollout(v1.RolloutStatus{}), rollout(v1.RolloutStatus{ShortSince: &now}), false},
		"a target without a pod":     {rollout(v1.RolloutStatus{}), rollout(v1.RolloutStatus{DownSince: &now}), true},
		"a route was written":        {rollout(v1.RolloutStatus{RouteGeneration: 1}), rollout(v1.RolloutStatus{RouteGeneration: 2}), false},
		"a step that began":          {rollout(v1.RolloutStatus{}), rollout(v1.RolloutStatus{StepStartedAt: &now}), true},
		"history":                    {rollout(v1.RolloutStatus{}), rollout(v1.RolloutStatus{History: []v1.HistoryEntry{{What: "Step"}}}), true},
		"a request":                  {rollout(v1.RolloutStatus{}), rollout(v1.RolloutStatus{Requests: []v1.HandledRequest{{ID: "1"}}}), true},
		"a record":                   {version(v1.VersionStatus{}), version(v1.VersionStatus{Record: "a-v1"}), false},
		"a first ready pod":          {version(v1.VersionStatus{Unserved: true}), version(v1.VersionStatus{}), false},
		"a weight":                   {version(v1.VersionStatus{}), version(v1.VersionStatus{Weight: 10}), true},
		"an accepted weight":         {version(v1.VersionStatus{}), version(v1.VersionStatus{AcceptedWeight: ptr.To[int32](10)}), true},
		"replicas":                   {version(v1.VersionStatus{Replicas: 1}), version(v1.VersionStatus{Replicas: 2}), true},
		"pods without metrics":       {version(v1.VersionStatus{}), version(v1.VersionStatus{TrafficSource: "none"}), false},
		"pods with metrics":          {version(v1.VersionStatus{}), version(v1.VersionStatus{TrafficSource: "pods"}), true},
		"a workload that is gone":    {version(v1.VersionStatus{Phase: v1.VersionDecommissioned, Workload: "v1"}), version(v1.VersionStatus{Phase: v1.VersionDecommissioned}), false},
		"another workload":           {version(v1.VersionStatus{Workload: "v1"}), version(v1.VersionStatus{Workload: "main"}), true},
	} {
		t.Run(name, func(t *testing.T) {
			was, is := tc.was.DeepCopy(), tc.is.DeepCopy()
			if got := !equality.Semantic.DeepEqual(materialPart(was), materialPart(is)); got != tc.want {
				t.Errorf("the change is material: %t, want %t", got, tc.want)
			}
			if !equality.Semantic.DeepEqual(was, &tc.was) {
				t.Error("the status was changed")
			}
		})
	}
}
