package handler

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// TestWhatMayWait holds which changes of a status may be written with the next one.
func TestWhatMayWait(t *testing.T) {
	now := metav1.NewTime(time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC))
	ready := func(status metav1.ConditionStatus, reason, message string) []metav1.Condition {
		return []metav1.Condition{{Type: v1.ConditionReady, Status: status, Reason: reason, Message: message}}
	}
	waits := func(reason v1.WaitingReason, message string, until *metav1.Time) *v1.RolloutStatus {
		return &v1.RolloutStatus{WaitingFor: &v1.WaitingStatus{Reason: reason, Message: message, Until: until}}
	}
	version := func(v v1.VersionStatus) []v1.VersionStatus { return []v1.VersionStatus{v} }
	for name, tc := range map[string]struct {
		was, is v1.GatiHandlerStatus
		want    bool
	}{
		"nothing":                  {want: true},
		"counts":                   {v1.GatiHandlerStatus{Ready: "1/2", ReadyReplicas: 1}, v1.GatiHandlerStatus{Ready: "2/2", ReadyReplicas: 2}, true},
		"a number in a message":    {v1.GatiHandlerStatus{Conditions: ready("False", "Progressing", "1 of 2")}, v1.GatiHandlerStatus{Conditions: ready("False", "Progressing", "2 of 2")}, true},
		"another reason":           {v1.GatiHandlerStatus{Conditions: ready("False", "Progressing", "")}, v1.GatiHandlerStatus{Conditions: ready("False", "Refused", "")}, false},
		"ready":                    {v1.GatiHandlerStatus{Conditions: ready("False", "Ready", "")}, v1.GatiHandlerStatus{Conditions: ready("True", "Ready", "")}, false},
		"another health":           {v1.GatiHandlerStatus{Health: v1.Healthy}, v1.GatiHandlerStatus{Health: v1.Degraded}, false},
		"a child":                  {v1.GatiHandlerStatus{}, v1.GatiHandlerStatus{Children: []v1.ChildStatus{{Kind: "Service", Name: "a"}}}, true},
		"a child in trouble":       {v1.GatiHandlerStatus{Children: []v1.ChildStatus{{Kind: "Service", Name: "a"}}}, v1.GatiHandlerStatus{Children: []v1.ChildStatus{{Kind: "Service", Name: "a", Message: "refused"}}}, false},
		"trouble that is over":     {v1.GatiHandlerStatus{Children: []v1.ChildStatus{{Kind: "Service", Name: "a", Message: "refused"}}}, v1.GatiHandlerStatus{Children: []v1.ChildStatus{{Kind: "Service", Name: "a"}}}, false},
		"pods, then endpoints":     {v1.GatiHandlerStatus{Rollout: waits(v1.WaitingForPods, "1 of 2", &now)}, v1.GatiHandlerStatus{Rollout: waits(v1.WaitingForEndpoints, "2 of 2", nil)}, true},
		"then the gateway":         {v1.GatiHandlerStatus{Rollout: waits(v1.WaitingForEndpoints, "", nil)}, v1.GatiHandlerStatus{Rollout: waits(v1.WaitingForGateway, "", nil)}, false},
		"another deadline":         {v1.GatiHandlerStatus{Rollout: waits(v1.WaitingForGateway, "", nil)}, v1.GatiHandlerStatus{Rollout: waits(v1.WaitingForGateway, "", &now)}, false},
		"the end of a wait":        {v1.GatiHandlerStatus{Rollout: waits(v1.WaitingForPods, "", nil)}, v1.GatiHandlerStatus{Rollout: &v1.RolloutStatus{}}, false},
		"pods are no longer short": {v1.GatiHandlerStatus{Rollout: &v1.RolloutStatus{ShortSince: &now}}, v1.GatiHandlerStatus{Rollout: &v1.RolloutStatus{}}, true},
		"pods are short":           {v1.GatiHandlerStatus{Rollout: &v1.RolloutStatus{}}, v1.GatiHandlerStatus{Rollout: &v1.RolloutStatus{ShortSince: &now}}, false},
		"a route was written":      {v1.GatiHandlerStatus{Rollout: &v1.RolloutStatus{RouteGeneration: 1}}, v1.GatiHandlerStatus{Rollout: &v1.RolloutStatus{RouteGeneration: 2}}, true},
		"a route was made anew":    {v1.GatiHandlerStatus{Rollout: &v1.RolloutStatus{RouteGeneration: 2}}, v1.GatiHandlerStatus{Rollout: &v1.RolloutStatus{RouteGeneration: 1}}, false},
		"a first ready pod":        {v1.GatiHandlerStatus{Versions: version(v1.VersionStatus{Unserved: true})}, v1.GatiHandlerStatus{Versions: version(v1.VersionStatus{})}, true},
		"a weight":                 {v1.GatiHandlerStatus{Versions: version(v1.VersionStatus{})}, v1.GatiHandlerStatus{Versions: version(v1.VersionStatus{Weight: 10})}, false},
		"replicas":                 {v1.GatiHandlerStatus{Versions: version(v1.VersionStatus{Replicas: 1})}, v1.GatiHandlerStatus{Versions: version(v1.VersionStatus{Replicas: 2})}, false},
		"a step that began":        {v1.GatiHandlerStatus{Rollout: &v1.RolloutStatus{}}, v1.GatiHandlerStatus{Rollout: &v1.RolloutStatus{StepStartedAt: &now}}, false},
		"accepted weight":          {v1.GatiHandlerStatus{Versions: version(v1.VersionStatus{})}, v1.GatiHandlerStatus{Versions: version(v1.VersionStatus{AcceptedWeight: ptr.To[int32](10)})}, false},
		"a workload that is gone":  {v1.GatiHandlerStatus{Versions: version(v1.VersionStatus{Phase: v1.VersionDecommissioned, Workload: "v1"})}, v1.GatiHandlerStatus{Versions: version(v1.VersionStatus{Phase: v1.VersionDecommissioned})}, true},
		"history":                  {v1.GatiHandlerStatus{Rollout: &v1.RolloutStatus{}}, v1.GatiHandlerStatus{Rollout: &v1.RolloutStatus{History: []v1.HistoryEntry{{What: "Step"}}}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			was, is := tc.was.DeepCopy(), tc.is.DeepCopy()
			if got := canWait(was, is); got != tc.want {
				t.Errorf("canWait is %t", got)
			}
		})
	}
}

// TestWhatMayWaitAtTheStart holds what of a first version is written once it is ready.
func TestWhatMayWaitAtTheStart(t *testing.T) {
	status := func(phase v1.RolloutPhase, edit func(*v1.GatiHandlerStatus)) *v1.GatiHandlerStatus {
		st := &v1.GatiHandlerStatus{Rollout: &v1.RolloutStatus{Phase: phase}, Versions: []v1.VersionStatus{{Version: "v1", Weight: 100}}}
		edit(st)
		return st
	}
	same := func(*v1.GatiHandlerStatus) {}
	available := func(status metav1.ConditionStatus, reason string) func(*v1.GatiHandlerStatus) {
		return func(st *v1.GatiHandlerStatus) {
			st.Conditions = []metav1.Condition{{Type: v1.ConditionAvailable, Status: status, Reason: reason}}
		}
	}
	starting := status(v1.RolloutStarting, available(metav1.ConditionFalse, "NothingServes"))
	for name, tc := range map[string]struct {
		was, is *v1.GatiHandlerStatus
		want    bool
	}{
		"its weight is accepted": {status(v1.RolloutStarting, same), status(v1.RolloutStarting, func(st *v1.GatiHandlerStatus) { st.Versions[0].AcceptedWeight = ptr.To[int32](100) }), true},
		"some pods serve":        {starting, status(v1.RolloutStable, available(metav1.ConditionFalse, "TooFewPods")), true},
		"all pods serve":         {starting, status(v1.RolloutStable, available(metav1.ConditionTrue, "Available")), false},
		"another version":        {status(v1.RolloutStarting, same), status(v1.RolloutStarting, func(st *v1.GatiHandlerStatus) { st.Versions[0].Version = "v2" }), false},
		"a claim":                {status(v1.RolloutStarting, same), status(v1.RolloutStarting, func(st *v1.GatiHandlerStatus) { st.Route = &v1.RouteStatus{} }), false},
		"a rollout":              {status(v1.RolloutStarting, same), status(v1.RolloutProgressing, same), false},
		"it served before":       {status(v1.RolloutStable, same), status(v1.RolloutStable, func(st *v1.GatiHandlerStatus) { st.Serving = "v1" }), false},
		"nothing was decided":    {&v1.GatiHandlerStatus{}, starting, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := canWaitAtStart(tc.was, tc.is); got != tc.want {
				t.Errorf("canWaitAtStart is %t", got)
			}
		})
	}
}

// TestARemovedWorkloadIsNoNews holds that the end of a decommissioned version's workload is
// not worth a write, and that everything else of a version is.
func TestARemovedWorkloadIsNoNews(t *testing.T) {
	status := func(phase v1.VersionPhase, workload string) *v1.GatiHandlerStatus {
		return &v1.GatiHandlerStatus{Versions: []v1.VersionStatus{{Phase: phase, Workload: workload}}}
	}
	gone := status(v1.VersionDecommissioned, "")
	for name, tc := range map[string]struct {
		was, is *v1.GatiHandlerStatus
		want    bool
	}{
		"it is gone":              {status(v1.VersionDecommissioned, "v1"), gone, true},
		"the version ends":        {status(v1.VersionDraining, "v1"), gone, false},
		"a version is back":       {gone, status(v1.VersionActive, "v1"), false},
		"it has another workload": {status(v1.VersionDecommissioned, "v1"), status(v1.VersionDecommissioned, "v1-2"), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := equality.Semantic.DeepEqual(withoutTraces(tc.was, tc.is), tc.is); got != tc.want {
				t.Errorf("no news: %t", got)
			}
		})
	}
}

// TestMemory holds that what is remembered of a handler is not of an earlier one of its
// name.
func TestMemory(t *testing.T) {
	var m memory
	first, second := builders.MakeHandler("a").Obj(), builders.MakeHandler("a").Obj()
	first.UID, second.UID = "1", "2"
	m.noteRoute(first, 7)
	m.noteStatus(first, time.Unix(1, 0))
	if got := m.recall(first); got.route != 7 || got.status != time.Unix(1, 0) {
		t.Errorf("%+v", got)
	}
	if got := m.recall(second); got.route != 0 || !got.status.IsZero() {
		t.Errorf("a handler of the same name inherits %+v", got)
	}
	m.noteRoute(second, 1)
	if got := m.recall(second); got.route != 1 {
		t.Errorf("%+v", got)
	}
}
