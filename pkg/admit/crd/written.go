package crd

import (
	"fmt"
	"strings"

	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// written checks a document against the rules that typed objects hide from
// pkg/validation: they cannot distinguish an empty text from an absent one, nor hold an
// invalid quantity. The messages are those of the CRD's rules.
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
		out = append(out, quantities(path, x, s)...)
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

// quantities applies the rules of an object that require quantities.
func quantities(path *field.Path, x map[string]any, s *structural.Structural) field.ErrorList {
	var out field.ErrorList
	for _, rule := range s.XValidations {
		if !strings.Contains(rule.Rule, "isQuantity(") || rule.FieldPath == "" {
			continue
		}
		names := strings.Split(strings.TrimPrefix(rule.FieldPath, "."), ".")
		value, found, err := unstructured.NestedFieldNoCopy(x, names...)
		if err == nil && found && !isQuantity(value) {
			out = append(out, &field.Error{Type: field.ErrorTypeInvalid, Field: path.String() + rule.FieldPath, BadValue: field.OmitValueType{}, Detail: rule.Message})
		}
	}
	return out
}

// isQuantity reports whether a value, or each value of a map, is a quantity.
func isQuantity(value any) bool {
	if values, isMap := value.(map[string]any); isMap {
		for _, v := range values {
			if !isQuantity(v) {
				return false
			}
		}
		return true
	}
	_, err := resource.ParseQuantity(fmt.Sprint(value))
	return err == nil
}
