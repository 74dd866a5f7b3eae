package revision_test

import (
	"maps"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/controller/revision"
	"gati.dev/gati/pkg/expand"
)

// A revision that has lost its labels gets them back, whether it is to be written or to
// be read. One of another owner is left alone, and one that is gone is no error.
func TestLabelsArePutBack(t *testing.T) {
	h := builders.MakeHandler("users").UID("uid").Obj()
	want, err := expand.HandlerRevisionObject(h, expand.Revision{Name: "handler-users-1", Inputs: "1", Version: "v1", Number: 1})
	if err != nil {
		t.Fatal(err)
	}
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
					err = revision.Restore(t.Context(), c, c, h, want.Name, encode)
				}
				if raced := keeps && tc.restored; apierrors.IsAlreadyExists(err) != raced || !raced && err != nil || (problem != nil) != (keeps && tc.foreign) {
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
