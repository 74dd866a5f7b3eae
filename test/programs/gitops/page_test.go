package gitops

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"sigs.k8s.io/yaml"
)

var application = regexp.MustCompile("(?ms)^```yaml\n(apiVersion: argoproj.io/v1alpha1\n.*?)^```\n")

// TestApplicationsOfThePage holds that Argo CD knows each field of the Applications in
// docs/gitops.md, and that they ask for what the page says of them.
func TestApplicationsOfThePage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/gitops.md")
	if err != nil {
		t.Fatal(err)
	}
	found := application.FindAllStringSubmatch(string(page), -1)
	if len(found) != 2 {
		t.Fatalf("the page has %d Applications, want that of handlers and that of the chart", len(found))
	}
	for _, m := range found {
		var app v1alpha1.Application
		if err := yaml.UnmarshalStrict([]byte(m[1]), &app); err != nil {
			t.Errorf("%v:\n%s", err, m[1])
			continue
		}
		if app.Kind != "Application" || !app.Spec.SyncPolicy.SyncOptions.HasOption("ServerSideApply=true") {
			t.Errorf("%s %s has the options %q", app.Kind, app.Name, app.Spec.SyncPolicy.SyncOptions)
		}
	}
	if chart := found[1][1]; !strings.Contains(chart, "chart: gati") {
		t.Errorf("the second Application is not that of the chart:\n%s", chart)
	}
}
