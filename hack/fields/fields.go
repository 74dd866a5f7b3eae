package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// field is one field of a kind.
type field struct {
	path       string
	isRequired bool
	// foreign is the type of another project that the field has, whose own fields are not
	// listed.
	foreign string
	schema  *apiextensions.JSONSchemaProps
}

// listFields returns the fields of spec and status, in the order of the Go types.
func listFields(t reflect.Type, schema *apiextensions.JSONSchemaProps) ([]field, error) {
	var w walker
	for _, part := range []string{"Spec", "Status"} {
		member, found := t.FieldByName(part)
		if !found {
			return nil, fmt.Errorf("there is no %s", part)
		}
		name := jsonName(member)
		below, found := schema.Properties[name]
		if !found {
			return nil, fmt.Errorf("the CRD has no %s", name)
		}
		if err := w.visitStruct(member.Type, &below, name); err != nil {
			return nil, err
		}
	}
	return w.fields, nil
}

type walker struct{ fields []field }

func (w *walker) visitStruct(t reflect.Type, schema *apiextensions.JSONSchemaProps, path string) error {
	for i := range t.NumField() {
		member := t.Field(i)
		name := jsonName(member)
		if name == "" {
			if err := w.visitStruct(member.Type, schema, path); err != nil {
				return err
			}
			continue
		}
		below, found := schema.Properties[name]
		if !found {
			return fmt.Errorf("the CRD has no %s.%s", path, name)
		}
		if err := w.visitField(member.Type, &below, path+"."+name, slices.Contains(schema.Required, name)); err != nil {
			return err
		}
	}
	return nil
}

// visitField adds a field and those below it.
func (w *walker) visitField(t reflect.Type, schema *apiextensions.JSONSchemaProps, path string, isRequired bool) error {
	element, items, suffix := unwrapType(t, schema)
	f := field{path: path, isRequired: isRequired, schema: schema}
	inner := element.Kind() == reflect.Struct && items.Type == "object"
	if inner && isForeign(element) {
		f.foreign = groupOf(element.PkgPath()) + " " + element.Name()
	}
	w.fields = append(w.fields, f)
	if !inner || f.foreign != "" {
		return nil
	}
	return w.visitStruct(element, items, path+suffix)
}

// unwrapType returns the type and the schema within pointers, lists and maps, and how a path
// goes on below them.
func unwrapType(t reflect.Type, schema *apiextensions.JSONSchemaProps) (reflect.Type, *apiextensions.JSONSchemaProps, string) {
	switch {
	case t.Kind() == reflect.Pointer:
		return unwrapType(t.Elem(), schema)
	case t.Kind() == reflect.Slice && schema.Items != nil:
		element, items, suffix := unwrapType(t.Elem(), schema.Items.Schema)
		return element, items, "[]" + suffix
	case t.Kind() == reflect.Map && schema.AdditionalProperties != nil:
		element, items, suffix := unwrapType(t.Elem(), schema.AdditionalProperties.Schema)
		return element, items, ".*" + suffix
	}
	return t, schema, ""
}

// isForeign reports whether a type is described by another project.
func isForeign(t reflect.Type) bool { return !strings.HasPrefix(t.PkgPath(), "gati.dev/gati/") }

// groupOf returns the group and version of a package with types, such as core/v1.
func groupOf(path string) string {
	if gateway, ok := strings.CutPrefix(path, "sigs.k8s.io/gateway-api/apis/"); ok {
		return "gateway.networking.k8s.io/" + gateway
	}
	return strings.TrimPrefix(strings.TrimPrefix(path, "k8s.io/api/"), "k8s.io/apimachinery/pkg/apis/")
}

// jsonName returns the name of a field in JSON, empty for one that is inlined.
func jsonName(member reflect.StructField) string {
	name, _, _ := strings.Cut(member.Tag.Get("json"), ",")
	return name
}
