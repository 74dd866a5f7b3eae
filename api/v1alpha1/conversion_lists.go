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

// restoreList restores a carried list of v1. The annotation holds the list as it was read;
// if its visible part is unchanged since, that list is restored in its order.
func (f *fieldMap) restoreList(spec, shown map[string]any, carried any) error {
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

// restoreCarried adds the carried fields to a v1 spec that was built from the visible fields.
func (k *kind) restoreCarried(spec, shown, carried map[string]any) error {
	for name, value := range carried {
		switch f := k.lists[name]; {
		case f != nil && value != nil:
			if err := f.restoreList(spec, shown, value); err != nil {
				return err
			}
		case f == nil && value != nil:
			spec[name] = value
		case f == nil:
			delete(spec, name)
		}
	}
	return nil
}

// findCarried returns the fields of a spec that are missing or different in plain, which
// was built from the visible fields.
func findCarried(spec, plain map[string]any) map[string]any {
	carried := map[string]any{}
	for name, value := range spec {
		if other, present := plain[name]; !present || !reflect.DeepEqual(value, other) {
			carried[name] = value
		}
	}
	for name := range plain {
		if _, present := spec[name]; !present {
			carried[name] = nil
		}
	}
	return carried
}
