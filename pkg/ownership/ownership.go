// Package ownership reads which managers own the fields of an object, from
// metadata.managedFields.
//
// The package is pure. It must not know which fields matter to its callers.
package ownership

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

var spec = fieldpath.FieldNameElement("spec")

// FindOther returns a manager, other than ours, of a field in an object's spec or of a
// part of it. It is empty when there is none.
func FindOther(entries []metav1.ManagedFieldsEntry, field string, ours ...string) string {
	for _, e := range entries {
		if slices.Contains(ours, e.Manager) {
			continue
		}
		if owned, ok := Fields(e).Children.Get(spec); ok && Has(owned, fieldpath.FieldNameElement(field)) {
			return e.Manager
		}
	}
	return ""
}

// FindFinalizer returns the manager that has set a finalizer of an object.
func FindFinalizer(entries []metav1.ManagedFieldsEntry, finalizer string) string {
	path := fieldpath.MakePathOrDie("metadata", "finalizers", value.NewValueInterface(finalizer))
	for _, e := range entries {
		if Fields(e).Has(path) {
			return e.Manager
		}
	}
	return "an unknown manager"
}

// Labellers returns the managers that own a label of an object.
func Labellers(entries []metav1.ManagedFieldsEntry, label string) []string {
	var out []string
	for _, e := range entries {
		path := fieldpath.MakePathOrDie("metadata", "labels", label)
		if Fields(e).Has(path) {
			out = append(out, e.Manager)
		}
	}
	return out
}

// Has reports whether a set has a field, or a part of it.
func Has(set *fieldpath.Set, field fieldpath.PathElement) bool {
	_, hasPart := set.Children.Get(field)
	return hasPart || set.Members.Has(field)
}

// Fields returns the fields of an entry. An entry that cannot be read has none.
func Fields(e metav1.ManagedFieldsEntry) *fieldpath.Set {
	set := &fieldpath.Set{}
	if e.FieldsV1 == nil || set.FromJSON(e.FieldsV1.GetRawReader()) != nil {
		return &fieldpath.Set{}
	}
	return set
}
