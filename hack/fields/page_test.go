package main

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/facts"
)

// page is what users read.
func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/crds.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var block = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```\n")

// TestExamplesAreAdmitted holds that an apply of each example on the page succeeds: no
// field is unknown, nothing is refused, and only what other objects decide is warned of.
func TestExamplesAreAdmitted(t *testing.T) {
	found := block.FindAllStringSubmatch(page(t), -1)
	if len(found) != len(kinds) {
		t.Fatalf("the page has %d examples of %d kinds", len(found), len(kinds))
	}
	for _, example := range found {
		docs, err := admit.Decode(strings.NewReader(example[1]), "docs/crds.md")
		if err != nil || len(docs) != 1 {
			t.Errorf("%d documents, %v:\n%s", len(docs), err, example[1])
			continue
		}
		f := facts.Facts{HTTPRouteServed: true}
		if got := admit.Check(docs[0].Object, nil, admit.Surroundings{Facts: f}); len(got.Errors) > 0 {
			t.Errorf("%v in:\n%s", got.Errors, example[1])
		}
	}
}

// TestExamplesHaveEveryField holds that a reader finds each field of a spec in the example
// of its kind.
func TestExamplesHaveEveryField(t *testing.T) {
	for _, k := range kinds {
		of := reflect.TypeOf(k.object)
		text, err := examples.ReadFile("examples/" + k.version + "-" + strings.ToLower(of.Name()) + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		var example struct{ Spec map[string]any }
		if err := yaml.Unmarshal(text, &example); err != nil {
			t.Fatal(err)
		}
		spec, _ := of.FieldByName("Spec")
		for i := range spec.Type.NumField() {
			name := jsonName(spec.Type.Field(i))
			if _, ok := example.Spec[name]; !ok {
				t.Errorf("the example of %s in %s has no spec.%s", of.Name(), k.version, name)
			}
		}
	}
}

// TestEveryFieldIsOnThePage holds that each field of the types has its row, with a meaning.
func TestEveryFieldIsOnThePage(t *testing.T) {
	lines := strings.Split(page(t), "\n")
	for _, k := range kinds {
		of := reflect.TypeOf(k.object)
		heading := fmt.Sprintf("### spec of %s in %s", of.Name(), k.version)
		from := slices.Index(lines, heading)
		if from < 0 {
			t.Fatalf("the page has no heading %q", heading)
		}
		part := lines[from:]
		if end := slices.IndexFunc(part, func(line string) bool { return strings.HasPrefix(line, "## ") }); end > 0 {
			part = part[:end]
		}
		for _, path := range append(paths(of, "Spec"), paths(of, "Status")...) {
			row := slices.IndexFunc(part, func(line string) bool { return strings.HasPrefix(line, "| `"+path+"` ") })
			if row < 0 {
				t.Errorf("%s in %s: %s has no row", of.Name(), k.version, path)
				continue
			}
			if cells := strings.Split(part[row], " | "); strings.Trim(cells[len(cells)-1], " |") == "" {
				t.Errorf("%s in %s: %s has no meaning; comment the field in api/%[2]s", of.Name(), k.version, path)
			}
		}
	}
}

// paths returns the fields of a part of a kind, by its Go types alone.
func paths(of reflect.Type, part string) []string {
	member, _ := of.FieldByName(part)
	return below(member.Type, jsonName(member))
}

func below(t reflect.Type, path string) (out []string) {
	switch t.Kind() {
	case reflect.Pointer:
		return below(t.Elem(), path)
	case reflect.Slice:
		return below(t.Elem(), path+"[]")
	case reflect.Map:
		return below(t.Elem(), path+".*")
	case reflect.Struct:
	default:
		return nil
	}
	if isForeign(t) {
		return nil
	}
	for i := range t.NumField() {
		name := jsonName(t.Field(i))
		if name == "" {
			out = append(out, below(t.Field(i).Type, path)...)
			continue
		}
		out = append(out, path+"."+name)
		out = append(out, below(t.Field(i).Type, path+"."+name)...)
	}
	return out
}

// TestRow holds how a row is written: bounds, rules, and nothing that ends its cell.
func TestRow(t *testing.T) {
	least, most := 1.0, 9.0
	f := field{path: "spec.a", isRequired: true, schema: &apiextensions.JSONSchemaProps{
		Type: "integer", Description: "One or two | <b>.", Minimum: &least, Maximum: &most,
		XValidations: apiextensions.ValidationRules{{Message: "must be odd"}, {Message: "must be odd"}},
	}}
	if got, want := f.formatRow(), "| `spec.a` (required) | integer | 1 to 9 | One or two \\| \\<b>. Rule: must be odd. |\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
