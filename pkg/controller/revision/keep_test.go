package revision_test

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/controller/revision"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
)

// A revision that has lost its labels gets them back, whether it is to be written or to
// be read. One of another owner is left alone, and one that is gone is no error.
func TestLabelsArePutBack(t *testing.T) {
	h := builders.MakeHandler("users").UID("uid").Image("users:v1").Obj()
	want := cut(t, h)
	encode := func(r expand.Revision) (*appsv1.ControllerRevision, error) { return expand.HandlerRevisionObject(h, r) }
	for name, tc := range map[string]struct {
		stored   func(*appsv1.ControllerRevision) bool // whether there is one
		restored bool
		foreign  bool
	}{
		"without labels": {func(r *appsv1.ControllerRevision) bool { r.Labels = nil; return true }, true, false},
		"another owner's": {func(r *appsv1.ControllerRevision) bool {
			r.Labels, r.OwnerReferences[0].UID = nil, "other"
			return true
		}, false, true},
		"gone": {func(*appsv1.ControllerRevision) bool { return false }, false, false},
		"of another kind with its uid": {func(r *appsv1.ControllerRevision) bool {
			r.Labels, r.OwnerReferences[0].APIVersion = nil, "apps/v1"
			return true
		}, false, true},
		"with a template of another image": {func(r *appsv1.ControllerRevision) bool {
			r.Labels, r.Data.Raw = nil, bytes.Replace(r.Data.Raw, []byte(`"image":"users:v1","inputs"`), []byte(`"image":"other:v1","inputs"`), 1)
			return true
		}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			for _, keeps := range []bool{false, true} {
				scheme := runtime.NewScheme()
				if err := appsv1.AddToScheme(scheme); err != nil {
					t.Fatal(err)
				}
				build, stored := fake.NewClientBuilder().WithScheme(scheme), want.DeepCopy()
				if tc.stored(stored) {
					build = build.WithObjects(stored)
				}
				c := build.Build()
				var problem, err error
				if keeps {
					problem, err = revision.Keep(t.Context(), c, c, h, want)
				} else {
					problem, err = revision.Restore(t.Context(), c, c, h, want.Name, encode)
				}
				if raced := keeps && tc.restored; apierrors.IsAlreadyExists(err) != raced || !raced && err != nil || (problem != nil) != tc.foreign {
					t.Errorf("keep %v: problem %v, error %v", keeps, problem, err)
				}
				var now appsv1.ControllerRevision
				err = c.Get(t.Context(), client.ObjectKeyFromObject(want), &now)
				if has := err == nil && maps.Equal(now.Labels, want.Labels); has != (tc.restored || keeps && !tc.foreign) {
					t.Errorf("keep %v: labels %v, error %v", keeps, now.Labels, err)
				}
			}
		})
	}
}

// A revision of the same inputs that runs another template than the spec's is reported and
// left unchanged.
func TestKeepRefusesAnotherTemplate(t *testing.T) {
	h := builders.MakeHandler("users").UID("uid").Image("users:v1").Obj()
	forged := cut(t, h)
	forged.Data.Raw = bytes.ReplaceAll(forged.Data.Raw, []byte("users:v1"), []byte("other:v1"))
	scheme := runtime.NewScheme()
	if err := appsv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(forged).Build()
	problem, err := revision.Keep(t.Context(), c, c, h, cut(t, h))
	if err != nil || problem == nil || !strings.Contains(problem.Error(), "it runs the image other:v1, and the spec has users:v1; delete it") {
		t.Errorf("problem %v, error %v", problem, err)
	}
}

// cut returns the revision of a handler as it is stored.
func cut(t *testing.T, h *v1.GatiHandler) *appsv1.ControllerRevision {
	t.Helper()
	resolved, errs := defaulting.ResolveHandler(&h.Spec, facts.Facts{})
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	out, err := expand.HandlerRevisionObject(h, expand.NewHandlerRevision(h, resolved, expand.HandlerInputs(&h.Spec, facts.Facts{}), 1, nil))
	if err != nil {
		t.Fatal(err)
	}
	return out
}
