package walls

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// unlinkedModules are what go.mod requires although no program links it, and why they stay.
// Another one belongs into a Go module of its own, as those in test/programs are: whoever
// installs the plugin from source, or scans go.mod, has all that it names.
var unlinkedModules = map[string]string{
	"github.com/google/go-cmp":                 "differences of values in tests of every package; it has no dependencies",
	"k8s.io/pod-security-admission":            "the API server's own verdict on the pods of pkg/expand",
	"cel.dev/expr":                             apiServersOwn,
	"github.com/antlr4-go/antlr/v4":            apiServersOwn,
	"github.com/google/cel-go":                 apiServersOwn,
	"golang.org/x/exp":                         apiServersOwn,
	"k8s.io/apiserver":                         apiServersOwn,
	"k8s.io/component-base":                    apiServersOwn,
	"gotest.tools/v3":                          "tests of docker's credentials, which go-containerregistry reads",
	"github.com/santhosh-tekuri/jsonschema/v6": "the metaschemas of JSON Schema, held against pkg/schema in its tests; it has no dependencies of its own",
}

// apiServersOwn is why what crdtest links stays.
const apiServersOwn = "internal/testing/crdtest runs the API server's own CEL and OpenAPI on the CRDs, in tests beside the API and pkg/validation"

// TestModulesOfTheProduct holds that go.mod requires what the programs link on some
// platform, and otherwise only the list above.
func TestModulesOfTheProduct(t *testing.T) {
	linked := map[string]bool{}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		for _, path := range linkedModules(t, goos) {
			linked[path] = true
		}
	}
	required := requiredModules(t)
	for path := range required {
		if !linked[path] && unlinkedModules[path] == "" {
			t.Errorf("go.mod requires %s, which no program links; move the test that needs it to a Go module of its own in test/programs, or add it to unlinkedModules in test/walls/modules_test.go with the reason", path)
		}
	}
	for path := range unlinkedModules {
		if !required[path] || linked[path] {
			t.Errorf("unlinkedModules names %s, which go.mod does not require, or a program links; remove it there", path)
		}
	}
	t.Logf("go.mod requires %d modules, %d of them linked by no program", len(required), len(unlinkedModules))
}

// requiredModules returns what go.mod requires.
func requiredModules(t *testing.T) map[string]bool {
	t.Helper()
	cmd := exec.Command("go", "mod", "edit", "-json")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Require []struct{ Path string } }
	if err := json.Unmarshal(out, &file); err != nil {
		t.Fatal(err)
	}
	required := map[string]bool{}
	for _, r := range file.Require {
		required[r.Path] = true
	}
	return required
}

// linkedModules returns the modules that the programs link on a system.
func linkedModules(t *testing.T, goos string) []string {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "./cmd/...")
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "GOOS="+goos)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}
