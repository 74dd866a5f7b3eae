package kubernetes

import (
	"errors"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/diagnose"
	"gati.dev/gati/pkg/target"
)

// isFinding reports whether an error is about the live object, not about a write.
func isFinding(err error) bool {
	var foreign *target.ForeignError
	var contested *target.ContestedError
	var altered *target.AlteredError
	var leaving *target.LeavingError
	var held *diagnose.Obstacle
	return errors.As(err, &held) || errors.As(err, &foreign) || errors.As(err, &leaving) || errors.As(err, &contested) || errors.As(err, &altered)
}

// isRefusal tells an answer that will be the same tomorrow from one that another try
// may cure.
func isRefusal(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err) ||
		apierrors.IsRequestEntityTooLargeError(err)
}

// isOrphaned reports whether an object that we have made has lost its
// ownerReference: fields of it are still ours and it has no other controller. It is
// drift like any other; a foreign object has nothing of ours.
func isOrphaned(live client.Object) bool {
	return metav1.GetControllerOf(live) == nil && live.GetAnnotations()[v1.AnnotationApplied] != "" &&
		slices.ContainsFunc(live.GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool {
			return e.Manager == v1.FieldManager && e.Subresource == ""
		})
}

// findContestant names the manager that has taken over desired fields: the manager that has
// all of them, else the one that changed the object last.
func findContestant(live client.Object, wanted map[string]any) string {
	name, latest := "an unknown manager", time.Time{}
	ours := ownedBy(live.GetManagedFields(), v1.FieldManager)
	for _, e := range live.GetManagedFields() {
		if e.Manager == v1.FieldManager || e.Subresource == "status" || e.Time == nil {
			continue
		}
		both := owned{all: ours.all.Union(ownedBy(live.GetManagedFields(), e.Manager).all), created: &fieldpath.Set{}}
		if both.coversMap(wanted, nil) {
			return e.Manager
		}
		if e.Time.After(latest) {
			name, latest = e.Manager, e.Time.Time
		}
	}
	return name
}
