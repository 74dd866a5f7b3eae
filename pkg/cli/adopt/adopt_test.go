package adopt_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/pkg/cli/exit"
)

// The handler of each Deployment of pkg/adopt is what lint accepts, and what is printed of it
// is that of the golden file.
func TestAdopt(t *testing.T) {
	t.Setenv("KUBECONFIG", os.DevNull)
	files, err := filepath.Glob("../../adopt/testdata/deployments/*.yaml")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	named := regexp.MustCompile(`(?m)^kind: Deployment\nmetadata:\s(?:[^\n]*\n)*?[^\n]*name: ([a-z-]+)`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := nameOf(t, named, string(text))
		got := clitest.Run(t.Context(), "", "adopt", "deployment/"+name, "-f", file)
		if got.Code != exit.OK {
			t.Errorf("%s: %+v", file, got)
			continue
		}
		golden.Compare(t, strings.TrimSuffix(filepath.Base(file), ".yaml")+".txt", got.Stdout+got.Stderr)
		if linted := clitest.Run(t.Context(), got.Stdout, "lint", "-f", "-"); linted.Code != exit.OK {
			t.Errorf("%s: the handler is refused: %+v", file, linted)
		}
	}
}

func nameOf(t *testing.T, pattern *regexp.Regexp, text string) string {
	t.Helper()
	m := pattern.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no name in %s", text)
	}
	return m[1]
}

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: 'app:v1'}]}
`

// What is missing or wrong is named, with what to do.
func TestAdoptRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		args, input string
		code        int
		want        string
	}{
		"no file":           {"deployment/web", "", exit.Usage, "specify a file"},
		"no kind":           {"web -f -", deployment, exit.Usage, `"web" names no workload; write deployment/NAME`},
		"another kind":      {"statefulset/web -f -", deployment, exit.Usage, "statefulset/web cannot be adopted; a Deployment can"},
		"not there":         {"deploy/api -f -", deployment, exit.Error, "no Deployment api found in -"},
		"twice":             {"deploy/web -f -", deployment + "---\n" + deployment, exit.Usage, "2 Deployments web in -; choose a namespace with -n"},
		"no port":           {"deploy/web -f -", deployment, exit.Error, "no container names a port; name the one that it listens on with --port"},
		"no such Service":   {"deploy/web -f - --service web", deployment, exit.Error, "no Service web selects these pods; those that do: none"},
		"no such path":      {"deploy/web -f - --port 3000 --path web", deployment, exit.Unhealthy, "the handler would be refused: spec.path"},
		"not a name":        {"deploy/web -f - --port 3000 --name Web", deployment, exit.Unhealthy, "the handler would be refused: metadata.name"},
		"no YAML":           {"deploy/web -f -", "a: [", exit.Error, "standard input"},
		"no object at all":  {"deploy/web -f -", "a: b", exit.Error, "has no apiVersion or no kind"},
		"accepted, as such": {"deploy/web -f - --port 3000", deployment, exit.OK, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := clitest.Run(t.Context(), tc.input, append([]string{"adopt"}, strings.Fields(tc.args)...)...)
			if got.Code != tc.code || !strings.Contains(got.Stderr, tc.want) {
				t.Errorf("got %+v, want code %d and %q", got, tc.code, tc.want)
			}
		})
	}
}
