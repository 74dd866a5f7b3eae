package handler

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/target"
)

// running is a workload of two pods at rest, of which so many are ready.
func running(ready int32) *expand.Observed {
	two := int32(2)
	return &expand.Observed{Deployment: &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Generation: 1, Annotations: map[string]string{v1.AnnotationRevision: "r"}},
		Spec:       appsv1.DeploymentSpec{Replicas: &two},
		Status:     appsv1.DeploymentStatus{ObservedGeneration: 1, Replicas: 2, UpdatedReplicas: 2, ReadyReplicas: ready},
	}}
}

// twoVersions is a story in which v2 serves, with v1 beside it.
func twoVersions(change func(*v1.RolloutStatus)) *story {
	ref := func(version string) *v1.UnitRef {
		return &v1.UnitRef{Version: version, RevisionNumber: 1, Workload: version}
	}
	s := &story{}
	s.Handler = &v1.GatiHandler{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	s.Workloads = map[string]*expand.Observed{"v1": running(1), "v2": running(2)}
	s.Decision.Rollout = &v1.RolloutStatus{Phase: v1.RolloutStable, Stable: ref("v2"), Declared: ref("v2")}
	s.Decision.Versions = []v1.VersionStatus{{Version: "v1", Workload: "v1"}, {Version: "v2", Workload: "v2", Weight: 70}, {Version: "v2", RevisionNumber: 2, Weight: 30}}
	for version, weight := range map[string]int32{"v1": 0, "v2": 100} {
		unit := rollout.Unit{Version: version, RevisionNumber: 1, Revision: "r"}
		s.Decision.Workloads = append(s.Decision.Workloads, rollout.WorkloadPlan{Workload: version, Unit: unit, Weight: weight, Replicas: 2})
	}
	change(s.Decision.Rollout)
	return s
}

// TestProgressCountsWhatServes holds that the pods of a version without traffic, now and
// later, keep nothing from being ready.
func TestProgressCountsWhatServes(t *testing.T) {
	v1ref := &v1.UnitRef{Version: "v1", RevisionNumber: 1}
	for name, tc := range map[string]struct {
		change     func(*v1.RolloutStatus)
		wantWanted int32
	}{
		"v1 drains":                             {func(*v1.RolloutStatus) {}, 2},
		"v1 is rolled out":                      {func(r *v1.RolloutStatus) { r.Target = v1ref }, 4},
		"v1 is declared, and may have no share": {func(r *v1.RolloutStatus) { r.Declared = v1ref }, 4},
		"v1 is declared and rejected": {func(r *v1.RolloutStatus) {
			r.Declared, r.WaitingFor = v1ref, &v1.WaitingStatus{Reason: v1.WaitingForSpecChange}
		}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := twoVersions(tc.change)
			if got := s.sumProgress(); got.Wanted != tc.wantWanted || (got.Ready == got.Wanted) != (tc.wantWanted == 2) {
				t.Errorf("%+v, want %d pods wanted", got, tc.wantWanted)
			}
		})
	}
}

// TestOnlyPodsThatCountAreNotSeenYet holds that a write elsewhere takes nothing away.
func TestOnlyPodsThatCountAreNotSeenYet(t *testing.T) {
	for write, want := range map[target.Write]bool{
		{Action: target.Updated, Kind: deploymentKind, Name: "handler-a--v2"}:  true,
		{Action: target.Updated, Kind: deploymentKind, Name: "handler-a--v1"}:  false,
		{Action: target.Deleted, Kind: deploymentKind, Name: "handler-a--v1"}:  false,
		{Action: target.Updated, Kind: configMapKind, Name: "handler-a--v2"}:   false,
		{Action: target.Updated, Kind: deploymentKind, Name: "handler-a--v22"}: false,
	} {
		s := twoVersions(func(*v1.RolloutStatus) {})
		out := target.Outcome{Writes: []target.Write{{Action: target.Created, Kind: "Service", Name: "x"}, write}}
		if got := s.hasWrittenPods(out); got != want {
			t.Errorf("%s: %t, want %t", write, got, want)
		}
	}
}

// TestWeights holds the form of the shares, those of two templates added up.
func TestWeights(t *testing.T) {
	if got := twoVersions(func(*v1.RolloutStatus) {}).formatWeights(); got != "v2=100%" {
		t.Errorf("got %q", got)
	}
}

// TestPodsOfALostDeploymentAreMissing holds that a version has served although its
// Deployment is gone, and that its pods are missing.
func TestPodsOfALostDeploymentAreMissing(t *testing.T) {
	for name, lose := range map[string]func(*story){
		"the workload":               func(s *story) { delete(s.Workloads, "v2") },
		"the Deployment":             func(s *story) { s.Workloads["v2"].Deployment = nil },
		"and nothing can be decided": func(s *story) { delete(s.Workloads, "v2"); s.lastDecided() },
	} {
		t.Run(name, func(t *testing.T) {
			s := twoVersions(func(r *v1.RolloutStatus) { r.Stable.Workload = "v2" })
			s.Decision.Front, s.Handler.Status.Serving = "v2", "v2"
			lose(s)
			pods := s.stablePods()
			if pods == nil || pods.Ready != 0 || pods.Wanted == 0 {
				t.Errorf("%+v, want pods that are missing", pods)
			}
			if got := s.servingVersion(pods); got != "v2" {
				t.Errorf("%q serves, want v2", got)
			}
		})
	}
}

// lastDecided leaves only what is stored, as with an invalid spec.
func (s *story) lastDecided() {
	s.Handler.Status.Rollout = s.Decision.Rollout
	s.Decision = rollout.Decision{}
}

// TestNothingServesBeforeTheFirstPod holds what counts as serving.
func TestNothingServesBeforeTheFirstPod(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*story)
		want   string
	}{
		"it serves":                    {func(*story) {}, "v2"},
		"it is starting":               {func(s *story) { s.Decision.Rollout.Phase = v1.RolloutStarting }, ""},
		"no pod was ever ready":        {func(s *story) { s.Workloads["v2"] = running(0) }, ""},
		"none is ready any more":       {func(s *story) { s.Workloads["v2"], s.Handler.Status.Serving = running(0), "v1" }, "v2"},
		"its workload was never there": {func(s *story) { delete(s.Workloads, "v2") }, ""},
		"its workload is gone":         {func(s *story) { delete(s.Workloads, "v2"); s.Handler.Status.Serving = "v1" }, "v2"},
	} {
		t.Run(name, func(t *testing.T) {
			s := twoVersions(func(r *v1.RolloutStatus) { r.Stable.Workload = "v2" })
			s.Decision.Front = "v2"
			tc.change(s)
			if got := s.servingVersion(s.stablePods()); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}
