package v1alpha1

import (
	"reflect"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// listMap converts a v1 list of which v1alpha1 shows only some entries, in its own
// form.
type listMap struct {
	// up builds v1's list from v1alpha1's value.
	up func(path *field.Path, shown any) ([]any, error)
	// down returns v1alpha1's value for v1's list: nil when the list has entries but
	// none can be expressed.
	down func(path *field.Path, list []any) (any, error)
	// merge applies the visible value, which may be nil, to a carried list, and keeps
	// the entries that v1alpha1 cannot express.
	merge func(list []any, shown any) []any
}

// overlay restores a carried list of v1. The annotation holds the list as it was read;
// if its visible part is unchanged since, that list is restored in its order.
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
