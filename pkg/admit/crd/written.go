package crd

import (
	"fmt"
	"strings"

	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// written holds a document against the rules that pkg/validation cannot see broken:
// a typed object does not know an empty text from an absent one, and cannot hold
// what is no quantity. They speak with the messages of the CRD's own rules.
func written(path *field.Path, x any, s *structural.Structural) field.ErrorList {
	if s == nil {
		return nil
	}
	var out field.ErrorList
	switch x := x.(type) {
	case string:
		// Of the rules of a text the first says what it has to be, and the others what
		// it must not be, which is never the empty text.
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

// quantities asks the rules of an object that want quantities.
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

// isQuantity reports whether a value, or each of a map, is a quantity.
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
