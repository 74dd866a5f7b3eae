package records

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/ownership"
)

// Carried names the fields that others have set in a record. The controller itself sets
// none of them except traffic, which it copies from the handler.
func Carried(record *v1.GatiVersion) []string {
	s := record.Spec
	set := []struct {
		name string
		is   bool
	}{
		{"tags", len(s.Tags) > 0},
		{"keep", s.Keep != nil},
		{"active", s.Active != nil},
		{"schema", s.Schema != nil},
		{"transformers", len(s.Transformers) > 0},
		{"traffic", ownership.FindOther(record.ManagedFields, "traffic", v1.FieldManager) != ""},
	}
	var out []string
	for _, field := range set {
		if field.is {
			out = append(out, field.name)
		}
	}
	return out
}

// HasShared reports whether a record has tags or transformers, which only one record of
// a handler may have.
func HasShared(record *v1.GatiVersion) bool {
	return len(record.Spec.Tags)+len(record.Spec.Transformers) > 0
}

// HasChanged reports whether an update can change which records are elected, or what
// they request. Conditions and unrelated labels cannot.
func HasChanged(before, after *v1.GatiVersion) bool {
	b, a := Binding{before.Status.Handler, before.Status.Version}, Binding{after.Status.Handler, after.Status.Version}
	return a != b || IsAutomatic(before) != IsAutomatic(after) || before.UID != after.UID ||
		(before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil) ||
		!slices.Equal(Carried(before), Carried(after)) || !equality.Semantic.DeepEqual(before.Spec, after.Spec)
}
