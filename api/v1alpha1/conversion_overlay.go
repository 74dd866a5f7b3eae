package v1alpha1

import "reflect"

// overlay adds the carried fields to a v1 spec that was built from the visible fields.
func (k *kind) overlay(spec, shown, carried map[string]any) error {
	for name, value := range carried {
		switch f := k.lists[name]; {
		case f != nil && value != nil:
			if err := f.overlay(spec, shown, value); err != nil {
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

// difference returns the fields of a spec that are missing or different in plain, which
// was built from the visible fields.
func difference(spec, plain map[string]any) map[string]any {
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
