package crd

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
)

// node is the schema of a value. The validator sees one value at a time, without those that
// it contains: it compares each error with all that it has found, so that an object with ten
// thousand errors takes it half a minute.
type node struct {
	alone         *spec.Schema
	validator     *validate.SchemaValidator
	bounds        structural.ValueValidation
	fields        map[string]*node
	items, values *node
}

func newNode(s *structural.Structural) *node {
	alone := *s
	alone.Items, alone.Properties, alone.AdditionalProperties = nil, nil, nil
	out := &node{alone: alone.ToKubeOpenAPI(), fields: make(map[string]*node, len(s.Properties))}
	out.validator = out.newValidator("")
	if s.ValueValidation != nil {
		out.bounds = *s.ValueValidation
	}
	for name, property := range s.Properties {
		out.fields[name] = newNode(&property)
	}
	if s.Items != nil {
		out.items = newNode(s.Items)
	}
	if a := s.AdditionalProperties; a != nil && a.Structural != nil {
		out.values = newNode(a.Structural)
	}
	return out
}

// newValidator returns a validator whose errors name a path.
func (n *node) newValidator(path string) *validate.SchemaValidator {
	return validate.NewSchemaValidator(n.alone, nil, path, strfmt.Default)
}

// visit calls a function at each value that has a schema, and goes on to what the value
// contains unless the function returns false.
func (n *node) visit(path string, x any, see func(n *node, path string, x any) bool) {
	if n == nil || !see(n, path, x) {
		return
	}
	switch x := x.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(x)) {
			below, known := n.fields[name]
			if !known {
				below = n.values
			}
			below.visit(strings.TrimPrefix(path+"."+name, "."), x[name], see)
		}
	case []any:
		for i, item := range x {
			n.items.visit(path+"["+strconv.Itoa(i)+"]", item, see)
		}
	}
}

// findFaults returns what the schema says of a value and all that it contains.
func (n *node) findFaults(path string, x any) (out field.ErrorList) {
	n.visit(path, x, func(n *node, path string, x any) bool {
		if !n.validator.Validate(x).IsValid() {
			out = append(out, inWords(n.newValidator(path).Validate(x))...)
		}
		return true
	})
	return out
}

// findExcess returns which lists, maps and texts are beyond their bounds. What a list or a
// map beyond its bound contains is not looked at.
func (n *node) findExcess(path string, x any) (out field.ErrorList) {
	n.visit(path, x, func(n *node, path string, x any) bool {
		err := n.checkBounds(path, x)
		if err != nil {
			out = append(out, err)
		}
		return err == nil
	})
	return out
}

func (n *node) checkBounds(path string, x any) *field.Error {
	isBeyond := func(size int, bound *int64) bool { return bound != nil && int64(size) > *bound }
	b := &n.bounds
	switch x := x.(type) {
	case []any:
		if isBeyond(len(x), b.MaxItems) {
			return field.TooMany(pathOf(path), len(x), int(*b.MaxItems))
		}
	case map[string]any:
		if isBeyond(len(x), b.MaxProperties) {
			return field.TooMany(pathOf(path), len(x), int(*b.MaxProperties))
		}
	case string:
		if isBeyond(utf8.RuneCountInString(x), b.MaxLength) {
			return field.TooLong(pathOf(path), "", int(*b.MaxLength))
		}
	}
	return nil
}
