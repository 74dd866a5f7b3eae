// Package seeds has what fuzz targets start from: the objects of the samples and
// of the bad files, which between them use each field and break each rule.
//
// It is for tests alone. It must not know what is fuzzed.
package seeds

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
)

// Object is one object of gati.dev, as JSON.
type Object struct {
	metav1.TypeMeta
	JSON []byte
}

// Objects returns all of them, of both versions. root is the folder of the module,
// as seen from the test.
func Objects(t testing.TB, root string) []Object {
	t.Helper()
	var out []Object
	for _, pattern := range []string{"manifests/samples/*.yaml", "test/cluster/badfiles/testdata/*.yaml"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no seeds at %s of %s: %v", pattern, root, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, objects(text)...)
		}
	}
	return out
}

// objects leaves out what is no YAML, for some of the bad files are not.
func objects(text []byte) []Object {
	var out []Object
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := reader.Read()
		if err != nil {
			return out
		}
		content, err := yaml.YAMLToJSON(document)
		if err != nil {
			continue
		}
		object := Object{JSON: content}
		if yaml.Unmarshal(content, &object.TypeMeta) == nil && strings.HasPrefix(object.APIVersion, v1.Group+"/") {
			out = append(out, object)
		}
	}
}
