package expand_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
	"gati.dev/gati/pkg/rollout"
)

// prometheus is an operator's Prometheus.
var prometheus = facts.RequestRate{
	Server: "http://prometheus:9090", Query: `sum(rate(requests{namespace="{{namespace}}",pod=~"{{pods}}"}[1m]))`,
	Authentication: "prometheus", AuthModes: "bearer",
}

// scalersOf returns who scales in the plan of a handler with one workload.
func scalersOf(t *testing.T, h *v1.GatiHandler, live builders.Scaled, change func(*expand.Workload)) (own *autoscalingv2.HorizontalPodAutoscaler, keda *kedav1alpha1.ScaledObject, replicas *int32) {
	t.Helper()
	f := facts.Facts{RequestRate: prometheus, NamespaceImage: "app:v1"}
	resolved, errs := defaulting.ResolveHandler(&h.Spec, f)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	revision := expand.NewHandlerRevision(h, resolved, "inputs", 1, nil)
	s := expand.Workload{
		WorkloadPlan: rollout.WorkloadPlan{Workload: "main", Replicas: resolved.Scale.Min, Weight: 100},
		Revision:     revision, Initial: 4, Observed: live.Observed(),
	}
	change(&s)
	behindDeployment := false
	for _, obj := range expand.Handler(h, resolved, []expand.Workload{s}, "main", nil, []int32{3000}).Objects {
		switch o := obj.(type) {
		case *autoscalingv2.HorizontalPodAutoscaler:
			own = o
		case *kedav1alpha1.ScaledObject:
			if keda = o; !behindDeployment {
				t.Error("the ScaledObject comes before its Deployment, which KEDA refuses")
			}
		case *appsv1.Deployment:
			replicas, behindDeployment = o.Spec.Replicas, true
		}
	}
	return own, keda, replicas
}

// TestHandover holds who scales, and what becomes of the number of pods, from one scaler
// to another.
func TestHandover(t *testing.T) {
	none := func(h *v1.GatiHandler) { h.Spec.Autoscaling = nil }
	hpa := func(h *v1.GatiHandler) { h.Spec.Autoscaling.Keda = nil }
	keda := func(*v1.GatiHandler) {}
	five := ptr[int32](5)
	tests := map[string]struct {
		spec func(*v1.GatiHandler)
		live builders.Scaled

		own, scaledObject bool
		replicas          *int32
	}{
		"a first autoscaler":                     {hpa, builders.Scaled{}, true, false, ptr[int32](4)},
		"a first ScaledObject":                   {keda, builders.Scaled{}, false, true, ptr[int32](4)},
		"on, by an autoscaler":                   {hpa, builders.Scaled{Replicas: five}, true, false, five},
		"on, by KEDA":                            {keda, builders.Scaled{Replicas: five}, false, true, five},
		"to KEDA, which has not taken it":        {keda, builders.Scaled{Replicas: five, HeldByOther: true, HasAutoscaler: true, HasOwnAutoscaler: true}, true, true, nil},
		"to KEDA, which has taken it":            {keda, builders.Scaled{Replicas: five, HeldByOther: true, HasAutoscaler: true}, false, true, nil},
		"back, while KEDA has it":                {hpa, builders.Scaled{Replicas: five, HeldByOther: true, HasAutoscaler: true}, true, false, nil},
		"back":                                   {hpa, builders.Scaled{Replicas: five, HeldByOther: true, HasAutoscaler: true, HasOwnAutoscaler: true}, true, false, nil},
		"off, while an autoscaler acts":          {none, builders.Scaled{Replicas: five, HeldByOther: true, HasAutoscaler: true, HasOwnAutoscaler: true}, false, false, nil},
		"off, while KEDA acts":                   {none, builders.Scaled{Replicas: five, HeldByOther: true, HasAutoscaler: true}, false, false, nil},
		"off, while an autoscaler has done none": {none, builders.Scaled{Replicas: five, HasAutoscaler: true, HasOwnAutoscaler: true}, false, false, five},
		"off":                                    {none, builders.Scaled{Replicas: five, HeldByOther: true}, false, false, ptr[int32](4)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			h := scaledByKeda().Obj()
			tc.spec(h)
			own, scaledObject, replicas := scalersOf(t, h, tc.live, func(*expand.Workload) {})
			if (own != nil) != tc.own || (scaledObject != nil) != tc.scaledObject {
				t.Errorf("an autoscaler: %v, a ScaledObject: %v; want %v and %v", own != nil, scaledObject != nil, tc.own, tc.scaledObject)
			}
			if diff := cmp.Diff(tc.replicas, replicas); diff != "" {
				t.Errorf("replicas (-want +got):\n%s", diff)
			}
		})
	}
}

// TestScaledObjectBounds holds the least and the most of a ScaledObject: it takes no pod
// away on taking over, holds the floor of a rollout, and may idle only where that is said.
func TestScaledObjectBounds(t *testing.T) {
	active := builders.Scaled{Replicas: ptr[int32](9), HeldByOther: true, HasAutoscaler: true, AutoscalerActive: true}
	tests := map[string]struct {
		live        builders.Scaled
		change      func(*expand.Workload)
		least, most int32
	}{
		"active":           {active, func(*expand.Workload) {}, 2, 12},
		"not active yet":   {builders.Scaled{Replicas: ptr[int32](9)}, func(*expand.Workload) {}, 9, 12},
		"above its most":   {builders.Scaled{Replicas: ptr[int32](20)}, func(*expand.Workload) {}, 20, 20},
		"a floor":          {active, func(s *expand.Workload) { s.Replicas = 7 }, 7, 12},
		"held":             {active, func(s *expand.Workload) { s.Replicas, s.Exact = 3, true }, 3, 3},
		"idle":             {active, func(s *expand.Workload) { s.Replicas, s.MayIdle = 1, true }, 0, 12},
		"a floor too high": {active, func(s *expand.Workload) { s.Replicas = 15 }, 15, 15},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, got, _ := scalersOf(t, scaledByKeda().Obj(), tc.live, tc.change)
			if *got.Spec.MinReplicaCount != tc.least || *got.Spec.MaxReplicaCount != tc.most {
				t.Errorf("from %d to %d, want from %d to %d", *got.Spec.MinReplicaCount, *got.Spec.MaxReplicaCount, tc.least, tc.most)
			}
		})
	}
}

// TestRateTrigger holds that KEDA gets the address of the operator's Prometheus.
func TestRateTrigger(t *testing.T) {
	_, got, _ := scalersOf(t, scaledByKeda().Obj(), builders.Scaled{}, func(*expand.Workload) {})
	want := kedav1alpha1.Trigger{
		Type: "prometheus",
		Metadata: map[string]string{
			"serverAddress": "http://prometheus:9090", "threshold": "250", "authModes": "bearer",
			"query": `sum(rate(requests{namespace="default",pod=~"handler-keda-[a-z0-9]+(-[a-z0-9]{5})?"}[1m]))`,
		},
		AuthenticationRef: &kedav1alpha1.AuthenticationRef{Name: "prometheus", Kind: "ClusterTriggerAuthentication"},
	}
	if diff := cmp.Diff(want, got.Spec.Triggers[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
