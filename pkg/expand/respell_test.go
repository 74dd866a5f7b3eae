package expand_test

import (
	"fmt"
	"math/rand"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/random"
	"gati.dev/gati/pkg/expand"
)

// respell writes the same values in other words: units of durations and quantities, empty
// lists and maps for absent ones.
func respell(r *rand.Rand, v reflect.Value) {
	switch v.Type() {
	case reflect.TypeFor[v1.Duration]():
		if d, err := v1.Duration(v.String()).Parse(); err == nil && r.Intn(2) == 0 {
			v.SetString(fmt.Sprintf("%ds", d/time.Second))
		}
		return
	case reflect.TypeFor[resource.Quantity]():
		q := v.Addr().Interface().(*resource.Quantity)
		if n, isWhole := q.AsInt64(); isWhole && n < 1e12 && n > -1e12 {
			formats := []string{"%d", "%d000m", "%de0", "%d.000"}
			*q = resource.MustParse(fmt.Sprintf(formats[r.Intn(len(formats))], n))
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			respell(r, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				respell(r, v.Field(i))
			}
		}
	case reflect.Slice:
		if v.IsNil() && r.Intn(2) == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		for i := range v.Len() {
			respell(r, v.Index(i))
		}
	case reflect.Map:
		if v.IsNil() && r.Intn(2) == 0 {
			v.Set(reflect.MakeMap(v.Type()))
		}
		for _, key := range v.MapKeys() {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(v.MapIndex(key))
			respell(r, value)
			v.SetMapIndex(key, value)
		}
	}
}

// TestOtherWordsAreNoChange holds that a spec which says the same in other words leads to the
// revision that was cut before, and to the same children.
func TestOtherWordsAreNoChange(t *testing.T) {
	moments := random.Moments(t)
	for _, o := range owners(t, 150) {
		before := cut(t, o)
		other := o.DeepCopyObject().(client.Object)
		switch o := other.(type) {
		case *v1.GatiHandler:
			respell(moments, reflect.ValueOf(&o.Spec).Elem())
			if moments.Intn(2) == 0 {
				o.Spec.SetDefaults()
			}
		case *v1.GatiModule:
			respell(moments, reflect.ValueOf(&o.Spec).Elem())
		}
		found, ok := expand.FindRevision([]expand.Revision{before}, cut(t, other), other)
		if !ok || found.Name != before.Name {
			t.Fatalf("another revision for the same %T:\n%s\n%s", o, cmp.Diff(encoded(t, o), encoded(t, other)), cmp.Diff(encoded(t, before), encoded(t, cut(t, other))))
		}
		if want, got := planOf(t, o, before).Objects, planOf(t, other, found).Objects; !equality.Semantic.DeepEqual(want, got) {
			t.Fatalf("other children for the same %T:\n%s\n%s", o, cmp.Diff(encoded(t, o), encoded(t, other)), cmp.Diff(text(t, want), text(t, got)))
		}
	}
}

// TestPairsOfWords has one pair of words for each kind of field, and what is no pair.
func TestPairsOfWords(t *testing.T) {
	handler := func(change func(*v1.GatiHandlerSpec)) *v1.GatiHandler {
		h := builders.MakeHandler("a").UID("u").Path("/a").Image("app:v1").Obj()
		change(&h.Spec)
		return h
	}
	requests := func(cpu, memory string) func(*v1.GatiHandlerSpec) {
		return func(s *v1.GatiHandlerSpec) {
			s.Resources = &v1.Resources{Requests: corev1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse(memory)}}
		}
	}
	env := func(list ...corev1.EnvVar) func(*v1.GatiHandlerSpec) {
		return func(s *v1.GatiHandlerSpec) { s.Env = list }
	}
	interval := func(d v1.Duration) func(*v1.GatiHandlerSpec) {
		return func(s *v1.GatiHandlerSpec) { s.HealthCheck = &v1.HealthCheck{Interval: d} }
	}
	pod := func(p v1.PodSettings) func(*v1.GatiHandlerSpec) {
		return func(s *v1.GatiHandlerSpec) { s.Pod = &p }
	}
	nothing := func(*v1.GatiHandlerSpec) {}
	grace, shorter := int64(30), int64(29)
	tests := map[string]struct {
		a, b    func(*v1.GatiHandlerSpec)
		differs bool
	}{
		"a duration":                     {a: interval("60s"), b: interval("1m")},
		"another duration":               {a: interval("60s"), b: interval("61s"), differs: true},
		"a power of ten":                 {a: requests("1", "1G"), b: requests("1e0", "1e9")},
		"a power of two":                 {a: requests("1", "1Gi"), b: requests("1000m", "1073741824")},
		"another amount":                 {a: requests("1", "1G"), b: requests("1", "1Gi"), differs: true},
		"a default that is written":      {a: nothing, b: pod(v1.PodSettings{TerminationGracePeriodSeconds: &grace})},
		"another value than the default": {a: nothing, b: pod(v1.PodSettings{TerminationGracePeriodSeconds: &shorter}), differs: true},
		"a variable that is ours":        {a: nothing, b: env(corev1.EnvVar{Name: "HOST", Value: "0.0.0.0"})},
		"a variable with another value":  {a: nothing, b: env(corev1.EnvVar{Name: "HOST", Value: "127.0.0.1"}), differs: true},
		"variables in another order":     {a: env(corev1.EnvVar{Name: "A", Value: "1"}, corev1.EnvVar{Name: "B", Value: "2"}), b: env(corev1.EnvVar{Name: "B", Value: "2"}, corev1.EnvVar{Name: "A", Value: "1"})},
		"variables made of others":       {a: env(corev1.EnvVar{Name: "A", Value: "1"}, corev1.EnvVar{Name: "B", Value: "$(A)"}), b: env(corev1.EnvVar{Name: "B", Value: "$(A)"}, corev1.EnvVar{Name: "A", Value: "1"}), differs: true},
		"empty lists and maps":           {a: nothing, b: pod(v1.PodSettings{Labels: map[string]string{}, Tolerations: []corev1.Toleration{}})},
		"another version":                {a: func(s *v1.GatiHandlerSpec) { s.Version = "v1" }, b: func(s *v1.GatiHandlerSpec) { s.Version = "v2" }, differs: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a, b := handler(tc.a), handler(tc.b)
			_, found := expand.FindRevision([]expand.Revision{cut(t, a)}, cut(t, b), b)
			if found == tc.differs {
				t.Errorf("the same revision: %v, want %v:\n%s", found, !tc.differs, cmp.Diff(encoded(t, cut(t, a)), encoded(t, cut(t, b))))
			}
		})
	}
}
