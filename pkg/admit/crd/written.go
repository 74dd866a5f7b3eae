package crd

import (
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// written checks a document against the rules that typed objects hide from
// pkg/validation: they cannot distinguish an empty text from an absent one. The messages are
// those of the CRD's rules.
func written(path *field.Path, x any, s *structural.Structural) field.ErrorList {
	if s == nil {
		return nil
	}
	var out field.ErrorList
	switch x := x.(type) {
	case string:
		// The first rule of a text states its form; the other rules exclude values, and
		// never the empty text.
		if x == "" && len(s.XValidations) > 0 {
			out = append(out, field.Invalid(path, x, s.XValidations[0].Message))
		}
	case map[string]any:
		for name, value := range x {
			below := path.Child(name)
			if _, known := s.Properties[name]; !known {
				below = path.Key(name)
			}
			out = append(out, written(below, value, of(s, name))...)
		}
	case []any:
		for i, item := range x {
			out = append(out, written(path.Index(i), item, s.Items)...)
		}
	}
	return out
}
