package certificates_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"gati.dev/gati/manifests"
)

// element is a list, a map or a text of the API.
type element struct {
	kind, plural, version string
	path                  string
	schema                *apiextensionsv1.JSONSchemaProps
	// wrap returns the part of the object that has a value there: its spec or its status.
	wrap func(value string) string
}

// bases are the specs of the smallest objects, by kind and version.
var bases = map[string]map[string]string{
	"GatiHandler v1":       {"path": `"/a"`, "image": `"app:v1"`},
	"GatiHandler v1alpha1": {"handlerPath": `"/a"`, "image": `"app:v1"`},
	"GatiModule v1":        {"type": `"oci"`, "image": `"app:v1"`},
	"GatiModule v1alpha1":  {"moduleType": `"oci"`, "image": `"app:v1"`},
	"GatiVersion v1":       {"handler": `"a"`, "version": `"v9"`},
	"GatiVersion v1alpha1": {"versionId": `"v9"`},
}

// readElements returns those of all kinds and versions, in the order of their names.
func readElements(t *testing.T) (all []element) {
	t.Helper()
	for _, kind := range []string{"gatihandlers", "gatimodules", "gativersions"} {
		raw, err := manifests.FS.ReadFile("crd/gati.dev_" + kind + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		var crd apiextensionsv1.CustomResourceDefinition
		if err := yaml.Unmarshal(raw, &crd); err != nil {
			t.Fatal(err)
		}
		for _, v := range crd.Spec.Versions {
			at := element{kind: crd.Spec.Names.Kind, plural: crd.Spec.Names.Plural, version: v.Name}
			for _, part := range []string{"spec", "status"} {
				at.path, at.wrap = part, func(value string) string { return value }
				schema := v.Schema.OpenAPIV3Schema.Properties[part]
				at.schema = &schema
				all = at.appendTo(all)
			}
		}
	}
	if len(all) < 1000 {
		t.Fatalf("%d elements: were the CRDs read?", len(all))
	}
	return all
}

// appendTo appends the element, if it is one, and all within it.
func (e element) appendTo(all []element) []element {
	s := e.schema
	if e.isList() || e.isMap() || e.isText() {
		all = append(all, e)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		all = e.within("."+name, &property, func(value string) string { return e.fields(name, value) }).appendTo(all)
	}
	if s.Items != nil {
		all = e.within("[0]", s.Items.Schema, func(value string) string { return "[" + value + "]" }).appendTo(all)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		all = e.within(".k", s.AdditionalProperties.Schema, func(value string) string { return `{"k":` + value + `}` }).appendTo(all)
	}
	return all
}

// within returns a part of the element.
func (e element) within(step string, s *apiextensionsv1.JSONSchemaProps, wrap func(string) string) element {
	outer := e.wrap
	e.path, e.schema, e.wrap = e.path+step, s, func(value string) string { return outer(wrap(value)) }
	return e
}

// fields returns an object with a field, and beside it what a spec needs.
func (e element) fields(name, value string) string {
	fields := map[string]string{}
	if e.path == "spec" {
		fields = maps.Clone(bases[e.kind+" "+e.version])
	}
	fields[name] = value
	var out []string
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		out = append(out, `"`+key+`":`+fields[key])
	}
	return "{" + strings.Join(out, ",") + "}"
}

// isOfPod reports whether the element is a part of spec.pod.
func (e element) isOfPod() bool {
	return e.path == "spec.pod" || strings.HasPrefix(e.path, "spec.pod.")
}

// isOfSpec reports whether the element is a field of the spec itself.
func (e element) isOfSpec() bool {
	return strings.Count(e.path, ".") == 1 && strings.HasPrefix(e.path, "spec.") && !strings.HasSuffix(e.path, "]")
}

func (e element) isList() bool { return e.schema.Type == "array" }

// isSet reports whether items of a list are told apart by their value or by keys.
func (e element) isSet() bool {
	return e.schema.XListType != nil && *e.schema.XListType != "atomic"
}

func (e element) isMap() bool {
	return e.schema.AdditionalProperties != nil || e.schema.XPreserveUnknownFields != nil && *e.schema.XPreserveUnknownFields
}
func (e element) isText() bool {
	return len(e.schema.Enum) == 0 && (e.schema.Type == "string" || e.schema.XIntOrString || e.schema.MaxLength != nil)
}

// fill returns a value of so many bytes, with as many items as fit.
func (e element) fill(bytes int) string {
	switch {
	case e.isList():
		item := sample(e.schema.Items.Schema)
		return "[" + item + strings.Repeat(","+item, bytes/(len(item)+1)) + "]"
	case e.isMap():
		item := `""`
		if a := e.schema.AdditionalProperties; a != nil && a.Schema != nil {
			item = sample(a.Schema)
		}
		var out strings.Builder
		out.WriteString(`{"k":` + item)
		for i := 0; out.Len() < bytes; i++ {
			fmt.Fprintf(&out, `,"k%06x":%s`, i, item)
		}
		return out.String() + "}"
	default:
		return `"` + strings.Repeat("x", bytes) + `"`
	}
}

// sample returns the shortest value of a schema's type.
func sample(s *apiextensionsv1.JSONSchemaProps) string {
	switch s.Type {
	case "object":
		return "{}"
	case "array":
		return "[]"
	case "integer", "number":
		return "1"
	case "boolean":
		return "true"
	default:
		return `""`
	}
}

// object returns the whole object.
func (e element) object(value string) string {
	part, _, _ := strings.Cut(e.path, ".")
	parts := map[string]string{"spec": e.baseSpec(), part: e.wrap(value)}
	text := fmt.Sprintf(`{"apiVersion":"gati.dev/%s","kind":%q,"metadata":{"name":"a","namespace":"default"},"spec":%s`, e.version, e.kind, parts["spec"])
	if status := parts["status"]; status != "" {
		text += `,"status":` + status
	}
	return text + "}"
}

func (e element) baseSpec() string {
	root := element{kind: e.kind, version: e.version, path: "spec"}
	for name, value := range bases[e.kind+" "+e.version] {
		return root.fields(name, value)
	}
	return "{}"
}

// field returns what a refusal names of the path: its first two steps, or where v1alpha1 has
// other names, which hooks tell as those of v1, the first.
func (e element) field() string {
	part, rest, _ := strings.Cut(e.path, ".")
	name, _, _ := strings.Cut(rest, ".")
	name, _, _ = strings.Cut(name, "[")
	if name == "" || e.version == "v1alpha1" {
		return part
	}
	return part + "." + name
}
