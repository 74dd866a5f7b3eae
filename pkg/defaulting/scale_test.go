package defaulting_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/random"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/facts"
)

func TestScale(t *testing.T) {
	yes, no := true, false
	auto := func(least, most int32) *v1.Autoscaling {
		a := &v1.Autoscaling{Enabled: &yes}
		if least > 0 {
			a.MinReplicas = &least
		}
		if most > 0 {
			a.MaxReplicas = &most
		}
		return a
	}
	fixed := func(n int32) defaulting.Scale { return defaulting.Scale{Replicas: n, Min: n, Max: n} }
	scaled := func(start, least, most int32) defaulting.Scale {
		return defaulting.Scale{Replicas: start, Auto: true, Min: least, Max: most, CPU: 70}
	}
	cpu, memory := int32(50), int32(60)
	tests := map[string]struct {
		replicas int32
		auto     *v1.Autoscaling

		want     defaulting.Scale
		wantNote string
	}{
		"none, 0":             {0, nil, fixed(0), ""},
		"none, 5":             {5, nil, fixed(5), ""},
		"disabled":            {5, &v1.Autoscaling{Enabled: &no, MinReplicas: &cpu}, fixed(5), ""},
		"not enabled":         {5, &v1.Autoscaling{MinReplicas: &cpu}, fixed(5), ""},
		"derived, 0":          {0, auto(0, 0), scaled(1, 1, 1), "autoscaling between 1 and 1 from 0 replicas"},
		"derived, 1":          {1, auto(0, 0), scaled(1, 1, 3), "autoscaling between 1 and 3 from 1 replicas"},
		"derived, 2":          {2, auto(0, 0), scaled(2, 1, 6), "autoscaling between 1 and 6 from 2 replicas"},
		"derived, 5":          {5, auto(0, 0), scaled(5, 2, 15), "autoscaling between 2 and 15 from 5 replicas"},
		"only min":            {2, auto(4, 0), scaled(4, 4, 6), "autoscaling between 4 and 6 from 2 replicas"},
		"only min, above 3r":  {1, auto(7, 0), scaled(7, 7, 7), "autoscaling between 7 and 7 from 1 replicas"},
		"only max":            {4, auto(0, 6), scaled(4, 2, 6), "autoscaling between 2 and 6 from 4 replicas"},
		"only max, below r/2": {8, auto(0, 3), scaled(3, 3, 3), "autoscaling between 3 and 3 from 8 replicas"},
		"both":                {3, auto(2, 10), scaled(3, 2, 10), ""},
		"both, start below":   {1, auto(2, 10), scaled(2, 2, 10), ""},
		"both, start above":   {20, auto(2, 10), scaled(10, 2, 10), ""},
		"own metrics": {1, &v1.Autoscaling{Enabled: &yes, Metrics: []v1.ScalingMetric{{Type: v1.ScalingMetricPods, Name: "m", AverageValue: new(resource.MustParse("1"))}}},
			defaulting.Scale{Replicas: 1, Auto: true, Min: 1, Max: 3}, "autoscaling between 1 and 3 from 1 replicas"},
		"own metrics beside CPU": {1, &v1.Autoscaling{Enabled: &yes, TargetCPU: &cpu, Metrics: []v1.ScalingMetric{{Type: v1.ScalingMetricPods, Name: "m", AverageValue: new(resource.MustParse("1"))}}},
			defaulting.Scale{Replicas: 1, Auto: true, Min: 1, Max: 3, CPU: 50}, "autoscaling between 1 and 3 from 1 replicas"},
		"own targets": {1, &v1.Autoscaling{Enabled: &yes, TargetCPU: &cpu, TargetMemory: &memory},
			defaulting.Scale{Replicas: 1, Auto: true, Min: 1, Max: 3, CPU: 50, Memory: 60}, "autoscaling between 1 and 3 from 1 replicas"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			spec := builders.MakeHandler("a").Image("i:v1").Version("v1").Replicas(tc.replicas).
				Spec(func(s *v1.GatiHandlerSpec) { s.Autoscaling = tc.auto }).Obj().Spec
			spec.Resources = &v1.Resources{Requests: resourceList(t, "1")}
			got, _ := defaulting.ResolveHandler(&spec, here)
			if diff := cmp.Diff(tc.want, got.Scale, cmpopts.IgnoreUnexported(defaulting.Scale{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			want := []string{}
			if tc.wantNote != "" {
				want = append(want, tc.wantNote)
			}
			if diff := cmp.Diff(want, got.Scale.AppendNote(got.Derived), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("derived (-want +got):\n%s", diff)
			}
		})
	}
}

// An autoscaler that the API server takes has bounds of at least 1, in order, and
// starts between them.
func TestScaleIsConsistent(t *testing.T) {
	source := random.New(t)
	for range 1000 {
		spec := source.ModuleSpec()
		got, _ := defaulting.ResolveModule("a", &spec, facts.Facts{})
		s := got.Scale
		if s.Min > s.Max || s.Replicas < s.Min || s.Replicas > s.Max || s.Auto && s.Min < 1 {
			t.Fatalf("%+v from %d replicas and %s", s, *got.Spec.Replicas, encoded(t, spec.Autoscaling))
		}
	}
}
