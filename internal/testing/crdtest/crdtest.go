// Package crdtest lets a test ask the CRDs of this repository what the API
// server would say of an object, without an API server: it runs the API server's
// own code for defaults, OpenAPI, lists and CEL.
//
// It is for tests alone, since it links the API server's libraries. It must not
// know any of our rules: what it says comes from manifests/crd.
package crdtest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"gati.dev/gati/manifests"
)

// Schema is one version of one CRD.
type Schema struct {
	structural *structuralschema.Structural
	openapi    validation.SchemaValidator
	cel        *cel.Validator
}

// Load reads the schema of a kind in a version.
func Load(t testing.TB, kind, version string) *Schema {
	t.Helper()
	s, err := load(kind, version)
	if err != nil {
		t.Fatalf("the CRD of %s %s: %v", kind, version, err)
	}
	return s
}

func load(kind, version string) (*Schema, error) {
	raw, err := manifests.FS.ReadFile("crd/gati.dev_" + strings.ToLower(kind) + "s.yaml")
	if err != nil {
		return nil, err
	}
	return Read(raw, version)
}

// Read reads the schema of a CRD in a version.
func Read(raw []byte, version string) (*Schema, error) {
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(raw, &crd); err != nil {
		return nil, err
	}
	for _, v := range crd.Spec.Versions {
		if v.Name == version {
			return build(v.Schema)
		}
	}
	return nil, fmt.Errorf("no version %s", version)
}

func build(in *apiextensionsv1.CustomResourceValidation) (*Schema, error) {
	var schema apiextensions.CustomResourceValidation
	if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(in, &schema, nil); err != nil {
		return nil, err
	}
	structural, err := structuralschema.NewStructural(schema.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	openapi, _, err := validation.NewSchemaValidator(schema.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	return &Schema{
		structural: structural,
		openapi:    openapi,
		cel:        cel.NewValidator(structural, true, celconfig.PerCallLimit),
	}, nil
}

// Default sets the static defaults, as the API server does on every request and
// on every read.
func (s *Schema) Default(obj map[string]any) {
	defaulting.PruneNonNullableNullsWithoutDefaults(obj, s.structural)
	defaulting.Default(obj, s.structural)
}

// Prune removes fields that the schema does not have.
func (s *Schema) Prune(obj map[string]any) {
	pruning.Prune(obj, s.structural, true)
}

// Enum returns the values that the field at a path may have. A list is passed
// through to its items.
func (s *Schema) Enum(path ...string) []string {
	at := s.structural
	for _, name := range path {
		if at.Items != nil {
			at = at.Items
		}
		property := at.Properties[name]
		at = &property
	}
	var out []string
	if at.ValueValidation != nil {
		for _, v := range at.ValueValidation.Enum {
			out = append(out, fmt.Sprint(v.Object))
		}
	}
	return out
}

// Validate says what the API server says of an object, and of a change if old is
// not nil.
func (s *Schema) Validate(obj, old map[string]any) field.ErrorList {
	var errs field.ErrorList
	if old == nil {
		errs = validation.ValidateCustomResource(nil, obj, s.openapi)
	} else {
		errs = validation.ValidateCustomResourceUpdate(nil, obj, old, s.openapi)
	}
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.structural, obj)...)
	return append(errs, s.Rules(obj, old)...)
}

// Rules says what the CEL rules alone say; the details are their messages.
func (s *Schema) Rules(obj, old map[string]any) field.ErrorList {
	var before any
	if old != nil {
		before = old
	}
	errs, _ := s.cel.Validate(context.Background(), nil, s.structural, obj, before, celconfig.RuntimeCELCostBudget)
	return errs
}

// Object turns a typed object, or JSON text, into what the API server would have
// decoded.
func Object(t testing.TB, from any) map[string]any {
	t.Helper()
	raw, isText := []byte(nil), false
	if text, ok := from.(string); ok {
		raw, isText = []byte(text), true
	}
	if !isText {
		var err error
		if raw, err = json.Marshal(from); err != nil {
			t.Fatal(err)
		}
	}
	var obj map[string]any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(raw, &obj); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return obj
}

// SpecFields names the fields of the spec, sorted.
func (s *Schema) SpecFields() []string {
	return slices.Sorted(maps.Keys(s.structural.Properties["spec"].Properties))
}
