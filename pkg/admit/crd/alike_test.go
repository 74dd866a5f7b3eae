package crd_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// ownRules are the objects whose rules speak of fields that only one of both kinds has.
var ownRules = map[string]bool{"spec": true, "spec.rollout": true}

// TestHandlersAndModulesAreBoundAlike compares what the CRDs say of each field that
// handlers and modules share, so that one faulty object of either kind shows both.
func TestHandlersAndModulesAreBoundAlike(t *testing.T) {
	type key struct{ version, kind, path string }
	fields := map[key]apiextensionsv1.JSONSchemaProps{}
	for _, raw := range shipped(t) {
		var definition apiextensionsv1.CustomResourceDefinition
		if err := yaml.Unmarshal(raw, &definition); err != nil {
			t.Fatal(err)
		}
		for _, v := range definition.Spec.Versions {
			walkSchema("", v.Schema.OpenAPIV3Schema, func(path string, s *apiextensionsv1.JSONSchemaProps) {
				fields[key{v.Name, definition.Spec.Names.Kind, path}] = ownBounds(path, s)
			})
		}
	}
	shared := map[string]int{}
	for at, handlers := range fields {
		modules, both := fields[key{at.version, "GatiModule", at.path}]
		if at.kind != "GatiHandler" || !both || strings.HasPrefix(at.path, "status") {
			continue
		}
		shared[at.version]++
		if diff := cmp.Diff(handlers, modules); diff != "" {
			t.Errorf("%s: %s of handlers and of modules (-,+):\n%s", at.version, at.path, diff)
		}
	}
	if shared["v1"] < 400 || shared["v1alpha1"] < 10 {
		t.Errorf("shared fields by version: %v: were the CRDs read?", shared)
	}
}

// ownBounds returns what a schema says of a field itself: neither its description and
// default nor what is in it.
func ownBounds(path string, s *apiextensionsv1.JSONSchemaProps) apiextensionsv1.JSONSchemaProps {
	own := *s
	own.Description, own.Default, own.Properties, own.Items, own.AdditionalProperties = "", nil, nil, nil, nil
	if ownRules[path] {
		own.XValidations, own.Required = nil, nil
	}
	return own
}
