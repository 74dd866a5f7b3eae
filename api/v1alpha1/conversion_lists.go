package v1alpha1

import (
	"reflect"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// listMap converts a list of v1 of whose entries v1alpha1 shows only some, in a
// form of its own.
type listMap struct {
	// up makes v1's list of what v1alpha1 shows.
	up func(path *field.Path, shown any) ([]any, error)
	// down shows of v1's list what v1alpha1 can say: nil where the list has
	// entries and none of them can be shown.
	down func(path *field.Path, list []any) (any, error)
	// merge changes a carried list to what is shown, which may be nil, and keeps
	// the entries that cannot be shown.
	merge func(list []any, shown any) []any
}

// overlay sets a list of v1 that was carried. The annotation says what the list
// was when the object was read; where its visible part has not been changed
// since, it is that list again, in its order.
func (f *fieldMap) overlay(spec, shown map[string]any, carried any) error {
	list, err := listAt(fieldsPath, carried)
	if err != nil {
		return err
	}
	before, err := f.list.down(fieldsPath, list)
	if err != nil {
		return err
	}
	now := shown[f.old]
	if reflect.DeepEqual(before, now) {
		spec[f.new] = list
		return nil
	}
	merged := f.list.merge(list, now)
	if len(merged) == 0 && now == nil {
		delete(spec, f.new)
		return nil
	}
	spec[f.new] = merged
	return nil
}
