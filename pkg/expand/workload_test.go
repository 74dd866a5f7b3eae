package expand_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
)

// Control of the number of pods is handed over in both directions without a gap.
func TestReplicasHandOver(t *testing.T) {
	fixed, auto := builders.MakeHandler("a").Replicas(3), builders.MakeHandler("a").Replicas(3).Autoscale(2, 6)
	tests := map[string]struct {
		handler *builders.Handler
		live    builders.Scaled

		wantReplicas, wantMin, wantMax *int32
	}{
		"fixed, created":                        {fixed, builders.Scaled{}, ptr[int32](3), nil, nil},
		"fixed, another manager scaled":         {fixed, builders.Scaled{Replicas: ptr[int32](9), HeldByOther: true}, ptr[int32](3), nil, nil},
		"auto, created":                         {auto, builders.Scaled{}, ptr[int32](3), ptr[int32](2), ptr[int32](6)},
		"auto, not yet active":                  {auto, builders.Scaled{Replicas: ptr[int32](5)}, ptr[int32](5), ptr[int32](5), ptr[int32](6)},
		"auto, not yet active, above max":       {auto, builders.Scaled{Replicas: ptr[int32](9)}, ptr[int32](9), ptr[int32](9), ptr[int32](9)},
		"auto, active, number still ours":       {auto, builders.Scaled{Replicas: ptr[int32](5), AutoscalerActive: true}, ptr[int32](5), ptr[int32](2), ptr[int32](6)},
		"auto, active, number the autoscaler's": {auto, builders.Scaled{Replicas: ptr[int32](4), AutoscalerActive: true, HeldByOther: true}, nil, ptr[int32](2), ptr[int32](6)},
		"auto, not active, held by a person":    {auto, builders.Scaled{Replicas: ptr[int32](4), HeldByOther: true}, nil, ptr[int32](4), ptr[int32](6)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := planLive(t, tc.handler.Obj(), tc.live)
			if diff := cmp.Diff(tc.wantReplicas, find[*appsv1.Deployment](t, p).Spec.Replicas); diff != "" {
				t.Errorf("replicas (-want +got):\n%s", diff)
			}
			at := slices.IndexFunc(p.Objects, func(o client.Object) bool { _, ok := o.(*autoscalingv2.HorizontalPodAutoscaler); return ok })
			if at < 0 {
				if tc.wantMin != nil {
					t.Error("no autoscaler is planned")
				}
				return
			}
			if deployment := slices.IndexFunc(p.Objects, func(o client.Object) bool { _, ok := o.(*appsv1.Deployment); return ok }); at > deployment {
				t.Error("the Deployment comes before its autoscaler")
			}
			hpa := p.Objects[at].(*autoscalingv2.HorizontalPodAutoscaler)
			if *hpa.Spec.MinReplicas != *tc.wantMin || hpa.Spec.MaxReplicas != *tc.wantMax {
				t.Errorf("bounds %d to %d, want %d to %d", *hpa.Spec.MinReplicas, hpa.Spec.MaxReplicas, *tc.wantMin, *tc.wantMax)
			}
		})
	}
}

func TestDisruptionBudget(t *testing.T) {
	tests := map[string]struct {
		handler *builders.Handler
		want    bool
	}{
		"none":                 {builders.MakeHandler("a").Replicas(0), false},
		"one":                  {builders.MakeHandler("a").Replicas(1), false},
		"two":                  {builders.MakeHandler("a").Replicas(2), true},
		"auto, 1 to 1":         {builders.MakeHandler("a").Autoscale(1, 1), false},
		"auto, 2 to 6":         {builders.MakeHandler("a").Autoscale(2, 6), true},
		"auto, may become two": {builders.MakeHandler("a").Replicas(3).Autoscale(1, 9), true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := planHandler(t, tc.handler.Obj())
			got := slices.ContainsFunc(p.Objects, func(o client.Object) bool { _, ok := o.(*policyv1.PodDisruptionBudget); return ok })
			if got != tc.want {
				t.Errorf("a budget is planned: %v, want %v", got, tc.want)
			}
		})
	}
}

// The API server holds seconds in 32 bits.
func TestLongDurationsDoNotOverflow(t *testing.T) {
	p := planHandler(t, builders.MakeHandler("a").Spec(func(s *v1.GatiHandlerSpec) {
		s.Rollout = &v1.Rollout{ProgressDeadline: "99999d"}
		s.HealthCheck = &v1.HealthCheck{Interval: "30000d", Timeout: "99999d"}
	}).Obj())
	deadline := *find[*appsv1.Deployment](t, p).Spec.ProgressDeadlineSeconds
	probe := container(t, p).ReadinessProbe
	if deadline != math.MaxInt32 || probe.PeriodSeconds != math.MaxInt32 || probe.TimeoutSeconds != math.MaxInt32 {
		t.Errorf("deadline %d, period %d, timeout %d", deadline, probe.PeriodSeconds, probe.TimeoutSeconds)
	}
}

func planLive(t *testing.T, h *v1.GatiHandler, live builders.Scaled) expand.Plan {
	t.Helper()
	resolved, errs := defaulting.ResolveHandler(&h.Spec, cluster)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	revision := expand.NewHandlerRevision(h, resolved, expand.HandlerInputs(&h.Spec, cluster), 1, nil)
	return expand.HandlerAlone(h, resolved, revision, nil, live.Observed())
}
