package v1alpha1

import "reflect"

// overlay lays the carried fields over a spec of v1 that was made of the visible
// fields.
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

// difference returns the fields of a spec that the plain one, made of visible fields, lacks or has otherwise.
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
