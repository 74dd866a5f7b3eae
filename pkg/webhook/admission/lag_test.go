package admission_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	appsv1 "k8s.io/api/apps/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/compat"
	hooks "gati.dev/gati/pkg/webhook/admission"
)

// A refusal that rests on another object holds while the watches lag behind: what they show
// is never the reason to allow.
func TestRefusalsHoldWhileTheWatchesLag(t *testing.T) {
	speaks := func(kind string) func(*v1.GatiVersionSpec) {
		doc := `{"type":"object","required":["id"],"properties":{"id":{"type":"` + kind + `"}}}`
		return func(s *v1.GatiVersionSpec) {
			s.Schema = &v1.VersionSchema{Input: &apiextensionsv1.JSON{Raw: []byte(doc)}}
		}
	}
	status := func(s *v1.GatiHandlerStatus) {
		s.Rollout = &v1.RolloutStatus{Stable: &v1.UnitRef{Version: "v1", RevisionNumber: 1}}
		for n := 1; n <= 20; n++ {
			s.Versions = append(s.Versions, v1.VersionStatus{Version: fmt.Sprintf("v%d", n), Sequence: int64(n), RevisionNumber: 1, Workload: fmt.Sprintf("v%d", n), Phase: v1.VersionActive})
		}
	}
	handler := func() *builders.Handler {
		return builders.MakeHandler("users").Namespace("default").Path("/users").Image("app:v2").Version("v2")
	}
	record := func(n int) *builders.Version {
		return builders.MakeVersion(fmt.Sprintf("users-v%d", n)).Namespace("default").Bound("users", fmt.Sprintf("v%d", n))
	}
	manual := handler().Strategy(v1.StrategyManual).Gateway("web").Status(status)
	var crowd []client.Object
	for n := 1; n <= 16; n++ {
		crowd = append(crowd, record(n).Traffic(1).Obj())
	}
	speaking := []client.Object{
		record(1).Spec(speaks("string")).Obj(), record(2).Spec(speaks("integer")).Obj(),
	}
	declares := func(kind string) client.Object {
		h := manual.Obj()
		h.Spec.Schema = builders.MakeVersion("x").Spec(speaks(kind)).Obj().Spec.Schema
		return h
	}
	known := scheme(t)
	if err := appsv1.AddToScheme(known); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		obj, old client.Object
		// seen is what the watches show, there what the API server has.
		seen, there []client.Object
		want        string
	}{
		"a share, by the strategy of before": {
			obj: record(20).Traffic(1).Obj(), old: record(20).Obj(),
			seen: []client.Object{handler().Strategy(v1.StrategyCanary).Status(status).Obj()}, there: append(crowd, manual.Obj()), want: "16 versions at most",
		},
		"an end, by the status of before": {
			obj: record(1).Active(false).Obj(), old: record(1).Obj(),
			seen: []client.Object{handler().Obj()}, there: []client.Object{manual.Obj()}, want: "promote another version first",
		},
		"a share, by the schemas of before": {
			obj: record(2).Traffic(10).Obj(), old: record(2).Obj(),
			seen: []client.Object{manual.Obj()}, there: []client.Object{declares("integer"), speaking[0]}, want: "spec.traffic",
		},
		"a declared version, by the records of before": {
			obj: handler().Status(status).Obj(), old: handler().Version("v1").Image("app:v1").Status(status).Obj(),
			seen: []client.Object{handler().Status(status).Obj()}, there: append([]client.Object{handler().Version("v1").Image("app:v1").Status(status).Obj()}, speaking...), want: "v2",
		},
		"a tag, by the records of before": {
			obj: record(2).Tags("stable").Obj(), old: record(2).Obj(),
			seen: []client.Object{manual.Obj()}, there: []client.Object{manual.Obj(), record(1).Tags("stable").Obj()}, want: "spec.tags",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			cache := fake.NewClientBuilder().WithScheme(known).WithObjects(tc.seen...).Build()
			live := fake.NewClientBuilder().WithScheme(known).WithObjects(tc.there...).Build()
			hook := &hooks.Validator{Facts: knows, Judge: &compat.Judge{}, Cache: cache, Live: live}
			got := hook.Handle(t.Context(), request(t, tc.obj, tc.old))
			if got.Allowed || !strings.Contains(got.Result.Message, tc.want) {
				t.Errorf("allowed %v: %+v, want a refusal with %q", got.Allowed, got.Result, tc.want)
			}
		})
	}
}

// The deletion of a record rests on its handler and the other records: where one cannot be
// read, it is asked for again.
func TestARemovalThatCannotBeDecidedIsAskedAgain(t *testing.T) {
	h := builders.MakeHandler("users").Status(func(s *v1.GatiHandlerStatus) {
		s.Versions = []v1.VersionStatus{{Version: "v1", Record: "users-v1", Phase: v1.VersionActive, Weight: 100}}
	}).Obj()
	record := builders.MakeVersion("users-v1").Bound("users", "v1").Obj()
	late := errors.New("context deadline exceeded")
	tests := map[string]struct {
		facts hooks.FactSource
		of    interceptor.Funcs
	}{
		"the handler": {knows, interceptor.Funcs{Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return late
		}}},
		"the records":   {knows, interceptor.Funcs{List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error { return late }}},
		"the namespace": {down, interceptor.Funcs{}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			live := interceptor.NewClient(fake.NewClientBuilder().WithScheme(scheme(t)).WithObjects(h, record).Build(), tc.of)
			got := (&hooks.Validator{Facts: tc.facts, Live: live}).Handle(t.Context(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
				Kind:      metav1.GroupVersionKind{Group: v1.Group, Version: "v1", Kind: "GatiVersion"},
				Namespace: "default", Name: record.Name, Operation: admissionv1.Delete, OldObject: raw(t, record),
			}})
			if got.Allowed || got.Result.Reason != metav1.StatusReasonTooManyRequests {
				t.Errorf("allowed %v: %+v, want to be asked again", got.Allowed, got.Result)
			}
		})
	}
}

// The handler of a record that names none is looked up by the beginnings of its name: only
// those that a handler may have.
func TestAHandlerIsLookedUpByFewNames(t *testing.T) {
	for name, most := range map[string]int{
		strings.TrimSuffix(strings.Repeat("a-", 126), "-"): 20,
		"users-v1-0-0":                  3,
		strings.Repeat("a", 60) + "-v1": 0,
	} {
		for from, old := range map[string]client.Object{"created": nil, "changed": builders.MakeVersion(name).Namespace("default").Obj()} {
			reads := 0
			live := interceptor.NewClient(fake.NewClientBuilder().WithScheme(scheme(t)).Build(), interceptor.Funcs{
				Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
					reads++
					return c.Get(ctx, key, o, opts...)
				},
			})
			hook := &hooks.Validator{Facts: knows, Judge: &compat.Judge{}, Cache: fake.NewClientBuilder().WithScheme(scheme(t)).Build(), Live: live}
			if got := hook.Handle(t.Context(), request(t, builders.MakeVersion(name).Namespace("default").Traffic(1).Obj(), old)); !got.Allowed {
				t.Fatalf("%s, %s: refused: %+v", name, from, got.Result)
			}
			if reads != most {
				t.Errorf("%s, %s: %d reads, want %d", name, from, reads, most)
			}
		}
	}
}
