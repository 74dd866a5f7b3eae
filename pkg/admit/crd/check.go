package crd

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Result is the schema's result for one object.
type Result struct {
	// Unknown are the fields that the schema lacks. With any, kubectl sends nothing to
	// the API server.
	Unknown []string
	Errors  field.ErrorList
}

// Check checks an object in its own version. It is not changed.
func (s *Schemas) Check(o *unstructured.Unstructured) Result {
	k := s.kinds[o.GroupVersionKind()]
	if k == nil {
		return Result{}
	}
	content := runtime.DeepCopyJSON(o.Object)
	out := Result{Unknown: pruning.PruneWithOptions(content, k.structural, true, structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})}
	setDefaults(content, k.structural)
	out.Errors = metadata(content)
	out.Errors = append(out.Errors, k.whole.findFaults("", content)...)
	out.Errors = append(out.Errors, listtype.ValidateListSetsAndMaps(nil, k.structural, content)...)
	out.Errors = append(out.Errors, written(nil, content, k.structural)...)
	return out
}

// CheckText checks a spec as it is written. One that is not within its bounds has no other
// errors: how long any other check takes depends on how much there is.
func (s *Schemas) CheckText(gvk schema.GroupVersionKind, spec any) (errs field.ErrorList, within bool) {
	k := s.kinds[gvk]
	if k == nil {
		return nil, true
	}
	root := k.whole.fields["spec"]
	broken := root.findExcess("spec", spec)
	if len(broken) == 0 {
		broken = checkSize(spec)
	}
	if len(broken) > 0 {
		return broken, false
	}
	return root.findFaults("spec", spec), true
}

// CheckSpec checks the spec of a typed object. An unset field has no error, except where
// it is required.
func (s *Schemas) CheckSpec(gvk schema.GroupVersionKind, spec any) (errs field.ErrorList, within bool) {
	k := s.kinds[gvk]
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(spec)
	if k == nil || err != nil {
		return field.ErrorList{field.InternalError(field.NewPath("spec"), fmt.Errorf("no schema of %s: %w", gvk, err))}, false
	}
	dropNulls(content)
	errs, within = s.CheckText(gvk, content)
	if within {
		errs = append(errs, listtype.ValidateListSetsAndMaps(field.NewPath("spec"), k.spec, content)...)
	}
	return errs, within
}

// dropNulls removes the fields that are null, which a typed object has for required lists
// that are absent.
func dropNulls(x any) {
	switch x := x.(type) {
	case map[string]any:
		maps.DeleteFunc(x, func(_ string, value any) bool { return value == nil })
		for _, value := range x {
			dropNulls(value)
		}
	case []any:
		for _, item := range x {
			dropNulls(item)
		}
	}
}

// Covers reports whether a field, or what it is in, has one of the errors. What other rules
// say of it follows from that error, and would be said twice.
func Covers(errs field.ErrorList, name string) bool {
	return slices.ContainsFunc(errs, func(e *field.Error) bool {
		rest, found := strings.CutPrefix(name, e.Field)
		return found && strings.HasPrefix(e.Field, "spec") && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// metadata checks the metadata that all kinds share.
func metadata(content map[string]any) field.ErrorList {
	o := &unstructured.Unstructured{Object: content}
	if o.GetNamespace() == "" {
		o.SetNamespace("default") // kubectl fills in one
	}
	return metavalidation.ValidateObjectMetaAccessor(o, true, metavalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
}

// setDefaults sets the defaults of fields that are absent, or null but not nullable.
func setDefaults(x any, s *structural.Structural) {
	if s == nil {
		return
	}
	switch x := x.(type) {
	case map[string]any:
		for name, property := range s.Properties {
			if value, there := x[name]; there && value == nil && !property.Nullable {
				delete(x, name)
			}
			if _, there := x[name]; !there && property.Default.Object != nil {
				x[name] = runtime.DeepCopyJSONValue(property.Default.Object)
			}
		}
		for name, value := range x {
			setDefaults(value, of(s, name))
		}
	case []any:
		for _, item := range x {
			setDefaults(item, s.Items)
		}
	}
}

// of returns the schema of a field, or nil.
func of(s *structural.Structural, name string) *structural.Structural {
	if property, known := s.Properties[name]; known {
		return &property
	}
	if s.AdditionalProperties != nil {
		return s.AdditionalProperties.Structural
	}
	return nil
}
