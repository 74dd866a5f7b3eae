// Command fields writes docs/crds.md: every field of every kind, with the type comments
// as a whole, their bounds and rules, and an example of each kind.
//
//	controller-gen crd paths=./api/... output:crd:dir=/tmp/crd
//	go run ./hack/fields -crds /tmp/crd -o docs/crds.md
//
// The CRDs that are shipped have shortened comments, so it reads others.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/api/v1alpha1"
)

// kinds are in the order of the page.
var kinds = []struct {
	version, plural string
	object          any
}{
	{"v1", "gatihandlers", v1.GatiHandler{}},
	{"v1", "gatimodules", v1.GatiModule{}},
	{"v1", "gativersions", v1.GatiVersion{}},
	{"v1alpha1", "gatihandlers", v1alpha1.GatiHandler{}},
	{"v1alpha1", "gatimodules", v1alpha1.GatiModule{}},
	{"v1alpha1", "gativersions", v1alpha1.GatiVersion{}},
}

func main() {
	crds := flag.String("crds", "", "the folder of the CRDs with whole comments")
	out := flag.String("o", "docs/crds.md", "write to this file")
	flag.Parse()
	if err := run(*crds, *out); err != nil {
		fmt.Fprintln(os.Stderr, "fields:", err)
		os.Exit(1)
	}
}

func run(crds, out string) error {
	var read []kind
	for _, k := range kinds {
		schema, err := readSchema(filepath.Join(crds, "gati.dev_"+k.plural+".yaml"), k.version)
		if err != nil {
			return err
		}
		t := reflect.TypeOf(k.object)
		one := kind{name: t.Name(), version: k.version, schema: schema}
		if one.fields, err = listFields(t, schema); err != nil {
			return fmt.Errorf("%s %s: %w", k.version, t.Name(), err)
		}
		read = append(read, one)
	}
	text, err := renderPage(read)
	if err != nil {
		return err
	}
	return os.WriteFile(out, text, 0o644)
}

// readSchema returns the schema of one version in the file of a CRD.
func readSchema(path, version string) (*apiextensions.JSONSchemaProps, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var crd apiextensions.CustomResourceDefinition
	if err := yaml.Unmarshal(text, &crd); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, v := range crd.Spec.Versions {
		if v.Name == version {
			return v.Schema.OpenAPIV3Schema, nil
		}
	}
	return nil, fmt.Errorf("%s has no version %s", path, version)
}
