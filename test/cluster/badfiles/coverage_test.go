package badfiles

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/api/v1alpha1"
	"gati.dev/gati/pkg/validation"
)

// printedFaults are the faults in all goldens of a folder, of one version.
func printedFaults(t *testing.T, folder, version string) []fault {
	t.Helper()
	var out []fault
	for _, f := range loadFiles(t) {
		out = append(out, findFaults(readAnswers(t, folder+f.name+".golden")[version])...)
	}
	if len(out) == 0 {
		t.Fatalf("no goldens in %s; -update writes them", folder)
	}
	return out
}

// TestEveryCheckHasAFile holds that each check of pkg/validation finds fault with
// at least one file.
func TestEveryCheckHasAFile(t *testing.T) {
	found := map[string]bool{}
	for _, f := range loadFiles(t) {
		old := decodeObject(t, f.setup)
		for _, d := range f.documents {
			for _, name := range validation.FailingChecks(decodeObject(t, d.text), old) {
				found[name] = true
			}
		}
	}
	for _, name := range validation.CheckNames() {
		if !found[name] {
			t.Errorf("the check %s of pkg/validation finds fault with no file of testdata; add one", name)
		}
	}
}

// TestEveryRuleHasAFile holds that each CEL rule of v1 speaks in the golden of at
// least one file, at its place. A rule that stands at several places, as those of
// a duration do, is one rule.
func TestEveryRuleHasAFile(t *testing.T) {
	said := printedFaults(t, "testdata/down/", "v1")
	type rule struct{ expression, message, place string }
	spoke, places := map[rule]bool{}, map[rule][]string{}
	for _, schema := range readSchemas(t, "v1") {
		walkSchema("", schema, map[string]bool{}, func(path string, s *apiextensionsv1.JSONSchemaProps) {
			for _, r := range s.XValidations {
				key := rule{r.Rule, r.Message, r.FieldPath}
				at := strings.TrimPrefix(flattenPath(path)+r.FieldPath, ".")
				places[key] = append(places[key], at)
				spoke[key] = spoke[key] || slices.ContainsFunc(said, func(f fault) bool {
					return f.schema == at && strings.HasSuffix(f.text, r.Message)
				})
			}
		})
	}
	if len(spoke) == 0 {
		t.Fatal("the CRDs have no rules")
	}
	for r, yes := range spoke {
		if !yes {
			t.Errorf("the rule %q at %q speaks in no golden of testdata/down; add a file", r.message, places[r])
		}
	}
}

// TestEveryBoundHasAFile holds that each bound of a field of ours is shown to
// hold, in both versions. What handlers and modules have alike needs one file.
func TestEveryBoundHasAFile(t *testing.T) {
	met := map[string]bool{}
	for _, version := range []string{"v1", "v1alpha1"} {
		said := printedFaults(t, "testdata/", version)
		for _, schema := range readSchemas(t, version) {
			walkSchema("", schema, met, func(path string, s *apiextensionsv1.JSONSchemaProps) {
				for _, b := range listBounds(path, s) {
					if !slices.ContainsFunc(said, func(f fault) bool { return b.isAt(f.schema) && strings.Contains(f.text, b.words) }) {
						t.Errorf("%s: %s: no golden of testdata has %q there; add a file", version, b.path, b.words)
					}
				}
			})
		}
	}
	for _, path := range foreign {
		if !met[path] {
			t.Errorf("%s is exempt, and no schema has it", path)
		}
	}
}

// bound is where the API server says which words when a bound is not kept.
type bound struct{ path, words string }

// isAt reports whether a fault is at the place of the bound. The API server writes the key
// of a map as a field.
func (b bound) isAt(schema string) bool {
	return schema == flattenPath(b.path) || strings.HasSuffix(b.path, "{}") && strings.HasPrefix(schema, flattenPath(b.path)+".")
}

// listBounds returns those of one schema. All quantities have the same one, which
// test/unitcluster/api.TestRefused shows.
func listBounds(path string, s *apiextensionsv1.JSONSchemaProps) []bound {
	var out []bound
	if path == "" || s.Type == "" {
		return nil // The spec alone is required here.
	}
	for words, has := range map[string]bool{
		"should be greater than or equal to": s.Minimum != nil,
		"should be less than or equal to":    s.Maximum != nil,
		"chars long":                         s.MinLength != nil,
		"Too long":                           s.MaxLength != nil,
		"should match":                       s.Pattern != "",
		"must be of type date-time":          s.Format == "date-time",
		"Unsupported value":                  len(s.Enum) > 0,
		"should have at least":               s.MinItems != nil,
		"Too many":                           s.MaxItems != nil || s.MaxProperties != nil,
		"Duplicate value":                    s.XListType != nil && *s.XListType != "atomic",
	} {
		if has {
			out = append(out, bound{path, words})
		}
	}
	for _, name := range s.Required {
		out = append(out, bound{path + "." + name, "Required value"})
	}
	return out
}

// decodeObject decodes a document into a v1 object as far as that is possible, and nil
// where it is not.
func decodeObject(t *testing.T, text string) any {
	t.Helper()
	var content map[string]any
	if yaml.Unmarshal([]byte(text), &content) != nil || content == nil {
		return nil
	}
	if content["apiVersion"] == v1alpha1.GroupVersion.String() {
		var err error
		if content, err = v1alpha1.ToV1(content); err != nil {
			return nil
		}
	}
	var out any
	switch content["kind"] {
	case "GatiHandler":
		out = &v1.GatiHandler{}
	case "GatiModule":
		out = &v1.GatiModule{}
	case "GatiVersion":
		out = &v1.GatiVersion{}
	default:
		return nil
	}
	raw, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	if json.Unmarshal(raw, out) != nil {
		return nil
	}
	return out
}
