package walls

import (
	"fmt"
	"go/constant"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var (
	// supported is the oldest Kubernetes that a page names.
	supported = regexp.MustCompile(`Kubernetes 1\.(\d+) or (?:later|newer)`)
	// testedRelease is the one whose API server "make test-oldest" runs.
	testedRelease = regexp.MustCompile(`(?m)^const oldestKubeVersion = "(v1\.(\d+)\.\d+)"$`)
)

// TestOldestKubernetesIsTheTestedOne holds that pages, chart and doctor name one oldest
// Kubernetes, and that it is the one of "make test-oldest".
func TestOldestKubernetesIsTheTestedOne(t *testing.T) {
	constants, err := constantsOf("pkg/cli/doctor/checkup")
	if err != nil {
		t.Fatal(err)
	}
	oldest, exact := constant.Int64Val(constants["oldest"].value)
	if !exact {
		t.Fatal("pkg/cli/doctor/checkup has no number oldest")
	}
	want := fmt.Sprint(oldest)
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, claim := range supported.FindAllStringSubmatch(string(text), -1) {
			if named++; claim[1] != want {
				t.Errorf("%s says %q; doctor asks for 1.%s", page, claim[0], want)
			}
		}
	}
	if named == 0 {
		t.Error("no page names the oldest Kubernetes")
	}
	if line := regexp.MustCompile(`(?m)^kubeVersion: ">=1\.` + want + `\.0-0"$`); !line.MatchString(readRepository(t, "charts/gati/Chart.yaml")) {
		t.Errorf("charts/gati/Chart.yaml has no line %s", line)
	}
	tested := testedRelease.FindStringSubmatch(readRepository(t, "devcluster/internal/assets/assets.go"))
	if tested == nil || tested[2] != want {
		t.Fatalf("devcluster --oldest is %q; doctor asks for 1.%s", tested, want)
	}
	if module := "k8s.io/kubernetes " + tested[1]; !regexp.MustCompile(`(?m)^\s+` + regexp.QuoteMeta(module) + `$`).MatchString(readRepository(t, "devcluster/internal/assets/modules/oldest.mod")) {
		t.Errorf("devcluster/internal/assets/modules/oldest.mod does not require %s", module)
	}
}

// readRepository returns a file of the repository.
func readRepository(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
