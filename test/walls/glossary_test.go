package walls

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

const glossaryFile = "docs/glossary.md"

var (
	glossaryRow   = regexp.MustCompile(`(?m)^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$`)
	glossaryIdent = regexp.MustCompile("`([a-z][a-z0-9]*)\\.([A-Z][A-Za-z0-9]+)`")
	glossaryField = regexp.MustCompile("`((?:status|spec)\\.[A-Za-z.\\[\\]]+)`")
)

// TestGlossaryNamesWhatExists holds that each term names its types and fields as the
// code has them, and that no term is defined twice.
func TestGlossaryNamesWhatExists(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("../..", glossaryFile))
	if err != nil {
		t.Fatal(err)
	}
	terms := map[string]bool{}
	for _, row := range glossaryRow.FindAllStringSubmatch(string(text), -1) {
		term, where := row[1], row[2]
		if term == "term" {
			continue
		}
		if terms[term] {
			t.Errorf("%s defines %q twice", glossaryFile, term)
		}
		terms[term] = true
		for _, m := range glossaryIdent.FindAllStringSubmatch(where, -1) {
			if !isDeclared(t, m[1], m[2]) {
				t.Errorf("%s, %q: package %s declares no %s", glossaryFile, term, m[1], m[2])
			}
		}
		for _, m := range glossaryField.FindAllStringSubmatch(where, -1) {
			if !isField(t, m[1]) {
				t.Errorf("%s, %q: no kind has the field %s", glossaryFile, term, m[1])
			}
		}
	}
	if len(terms) == 0 {
		t.Errorf("%s has no rows of the form | term | meaning | where |", glossaryFile)
	}
}

// isDeclared reports whether a package of this name declares a type, function or
// constant at its top level.
func isDeclared(t *testing.T, name, ident string) bool {
	t.Helper()
	declaration := regexp.MustCompile(`(?m)^(?:type |func |const |var |\t)` + ident + `\b`)
	for folder, p := range packages(t) {
		if path.Base(folder) != name {
			continue
		}
		for _, file := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			if declaration.Match(text) {
				return true
			}
		}
	}
	return false
}

// isField reports whether one of the kinds has a field in its stored version.
func isField(t *testing.T, field string) bool {
	t.Helper()
	for _, file := range []string{"gatihandlers", "gatimodules", "gativersions"} {
		root, err := storedSchema(file)
		if err != nil {
			t.Fatal(err)
		}
		at, found := root, true
		for _, name := range strings.Split(field, ".") {
			name, isList := strings.CutSuffix(name, "[]")
			if at, found = at.Properties[name]; !found {
				break
			}
			if isList && at.Items != nil {
				at = *at.Items.Schema
			}
		}
		if found {
			return true
		}
	}
	return false
}

// storedSchema returns the schema of the version in which a kind is stored.
func storedSchema(plural string) (apiextensionsv1.JSONSchemaProps, error) {
	text, err := os.ReadFile("../../manifests/crd/gati.dev_" + plural + ".yaml")
	if err != nil {
		return apiextensionsv1.JSONSchemaProps{}, err
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(text, crd); err != nil {
		return apiextensionsv1.JSONSchemaProps{}, err
	}
	for _, version := range crd.Spec.Versions {
		if version.Storage {
			return *version.Schema.OpenAPIV3Schema, nil
		}
	}
	return apiextensionsv1.JSONSchemaProps{}, os.ErrNotExist
}
