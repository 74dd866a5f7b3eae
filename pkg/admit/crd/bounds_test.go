package crd_test

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// documents are the fields that hold any JSON: a policy bounds the whole object.
var documents = map[string]bool{"spec.schema.input": true, "spec.schema.output": true}

// TestEverythingIsBounded walks the schemas of every kind and version: what costs a reader is
// the number of elements, so a list, a map or a text without a bound is an attack.
func TestEverythingIsBounded(t *testing.T) {
	seen := 0
	for _, raw := range shipped(t) {
		var definition apiextensionsv1.CustomResourceDefinition
		if err := yaml.Unmarshal(raw, &definition); err != nil {
			t.Fatal(err)
		}
		for _, v := range definition.Spec.Versions {
			for name, property := range v.Schema.OpenAPIV3Schema.Properties {
				if name == "metadata" {
					continue // The API server's own.
				}
				walkSchema(name, &property, func(path string, s *apiextensionsv1.JSONSchemaProps) {
					seen++
					if missing := missingBound(path, s); missing != "" {
						t.Errorf("%s/%s: %s has no %s: see hack/crds/bounds.go", definition.Spec.Names.Kind, v.Name, path, missing)
					}
				})
			}
		}
	}
	if seen < 1500 {
		t.Errorf("%d fields: were the CRDs read?", seen)
	}
}

// missingBound returns the bound that a schema lacks.
func missingBound(path string, s *apiextensionsv1.JSONSchemaProps) string {
	isOpen := s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
	switch {
	case isAmount(s):
		return ""
	case isOpen && !documents[path]:
		return "fields of its own: it takes any"
	case s.Type == "array" && s.MaxItems == nil:
		return "maxItems"
	case s.AdditionalProperties != nil && s.MaxProperties == nil:
		return "maxProperties"
	case s.Type == "" && !s.XIntOrString && !isOpen:
		return "type"
	case (s.Type == "string" || s.XIntOrString) && s.MaxLength == nil && len(s.Enum) == 0:
		return "maxLength"
	}
	return ""
}

// isAmount reports whether a schema takes a number or a short text alone: a number has no more
// digits than a float64.
func isAmount(s *apiextensionsv1.JSONSchemaProps) bool {
	isEmpty := func(limit *int64) bool { return limit != nil && *limit == 0 }
	return s.Type == "" && s.MaxLength != nil && isEmpty(s.MaxItems) && isEmpty(s.MaxProperties)
}

// walkSchema visits a schema and all within it.
func walkSchema(path string, s *apiextensionsv1.JSONSchemaProps, visit func(string, *apiextensionsv1.JSONSchemaProps)) {
	visit(path, s)
	for name, p := range s.Properties {
		walkSchema(strings.TrimPrefix(path+"."+name, "."), &p, visit)
	}
	if s.Items != nil {
		walkSchema(path+"[]", s.Items.Schema, visit)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		walkSchema(path+"{}", s.AdditionalProperties.Schema, visit)
	}
}
