package target

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// ForeignError says that an object of that name exists and has another
// owner. It is never taken over.
type ForeignError struct{ Kind, Namespace, Name, Owner string }

func (e *ForeignError) Error() string {
	belongs := "was not created by this object"
	if e.Owner != "" {
		belongs = "belongs to " + e.Owner
	}
	return fmt.Sprintf("%s %s already exists and %s; delete or rename it", e.Kind, e.Name, belongs)
}

// LeavingError means that an object belongs to a deleted owner of the same name: the
// garbage collector removes it.
type LeavingError struct{ Kind, Name, Owner string }

func (e *LeavingError) Error() string {
	return fmt.Sprintf("Waiting for the old children to be removed: %s %s belongs to a deleted %s", e.Kind, e.Name, e.Owner)
}

// NotOwnedError returns why an object that exists is not a child of an owner.
func NotOwnedError(kind string, live, owner client.Object) error {
	o := metav1.GetControllerOf(live)
	if o == nil {
		return &ForeignError{Kind: kind, Namespace: live.GetNamespace(), Name: live.GetName()}
	}
	title := o.Kind + " " + o.Name
	if o.APIVersion == v1.GroupVersion.String() && o.Name == owner.GetName() && o.UID != owner.GetUID() {
		return &LeavingError{Kind: kind, Name: live.GetName(), Owner: title}
	}
	return &ForeignError{Kind: kind, Namespace: live.GetNamespace(), Name: live.GetName(), Owner: title}
}
