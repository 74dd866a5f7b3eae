package chart

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"gati.dev/gati/test/support/repository"
)

var folder = repository.Path("charts", "gati")

// runHelm runs helm and returns what it prints on both streams.
func runHelm(t *testing.T, args ...string) (string, error) {
	t.Helper()
	path := os.Getenv("GATI_HELM")
	if path == "" {
		t.Fatal("GATI_HELM is not set; run: make test-peers")
	}
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = append(os.Environ(), "HELM_CACHE_HOME="+home, "HELM_CONFIG_HOME="+home, "HELM_DATA_HOME="+home, "KUBECONFIG=/dev/null")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// objects are those of a stream of YAML, by kind, namespace and name.
type objects map[string]*unstructured.Unstructured

// renderChart returns the objects of a release, and those of its tests apart.
func renderChart(t *testing.T, args ...string) (release, tests objects) {
	t.Helper()
	out, err := runHelm(t, append([]string{"template", "gati", folder, "--namespace", "gati-system"}, args...)...)
	if err != nil {
		t.Fatalf("helm template %q: %v\n%s", args, err, out)
	}
	release, tests = objects{}, objects{}
	for id, object := range decodeObjects(t, []byte(out)) {
		if object.GetAnnotations()["helm.sh/hook"] == "test" {
			tests[id] = object
		} else {
			release[id] = object
		}
	}
	return release, tests
}

func decodeObjects(t *testing.T, text []byte) objects {
	t.Helper()
	out := objects{}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatalf("%v in:\n%.4000s", err, text)
		}
		if object.Object == nil {
			continue
		}
		id := strings.Join([]string{object.GetKind(), object.GetNamespace(), object.GetName()}, "/")
		if out[id] != nil {
			t.Errorf("%s is there twice", id)
		}
		out[id] = object
	}
}
