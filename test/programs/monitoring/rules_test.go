package monitoring

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/test/support/repository"
)

// TestPromtoolChecksTheRules runs promtool check rules.
func TestPromtoolChecksTheRules(t *testing.T) {
	t.Parallel()
	if out, err := runPromtool(t, "", "check", "rules", "--lint-fatal", writeRules(t, readRules(t))); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestPromtoolTestsTheRules runs promtool test rules, and once more without each rule:
// one that no test misses is not tested. The short form leaves out one rule in three;
// "make soak NAME=promtoolTestsTheRules" each.
func TestPromtoolTestsTheRules(t *testing.T) {
	t.Parallel()
	all := keepSummaries(readRules(t))
	if out, err := testRules(t, all); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	chosen := soak.Share(t, "promtoolTestsTheRules", 3)
	for i, g := range all {
		for _, left := range g.Rules {
			if !chosen() {
				continue
			}
			t.Run(left.name(), func(t *testing.T) {
				t.Parallel()
				others := slices.Clone(all)
				others[i].Rules = slices.DeleteFunc(slices.Clone(g.Rules), func(r rule) bool { return r.name() == left.name() })
				if out, err := testRules(t, others); err == nil || !strings.Contains(out, "FAILED") {
					t.Errorf("testdata/rules_test.yaml passes without it: %v\n%s", err, out)
				}
			})
		}
	}
}

// keepSummaries returns rules with no annotation but the summary: promtool compares all,
// and the others have no values.
func keepSummaries(groups []group) []group {
	for i := range groups {
		for j := range groups[i].Rules {
			if r := &groups[i].Rules[j]; r.Alert != "" {
				r.Annotations = map[string]string{"summary": r.Annotations["summary"]}
			}
		}
	}
	return groups
}

func testRules(t *testing.T, groups []group) (string, error) {
	t.Helper()
	folder := filepath.Dir(writeRules(t, groups))
	cases, err := os.ReadFile("testdata/rules_test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "rules_test.yaml"), cases, 0o600); err != nil {
		t.Fatal(err)
	}
	return runPromtool(t, folder, "test", "rules", "rules_test.yaml")
}

var severities = []string{"critical", "warning", "info"}

// TestAlertsHaveRunbooks holds that each alert names its page, which exists, says the
// same severity, and has the parts that a reader at night needs.
func TestAlertsHaveRunbooks(t *testing.T) {
	t.Parallel()
	index, err := os.ReadFile(repository.Path("docs/runbooks/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]bool{"README.md": true}
	for _, a := range readAlerts(t) {
		pages[a.Alert+".md"] = true
		if !slices.Contains(severities, a.Labels["severity"]) || a.Annotations["summary"] == "" || a.Annotations["description"] == "" {
			t.Errorf("%s: want severity, summary and description, got %v %v", a.Alert, a.Labels, a.Annotations)
		}
		if want := "https://gati.dev/docs/runbooks/" + a.Alert + ".md"; a.Annotations["runbook_url"] != want {
			t.Errorf("%s: runbook_url is %s, want %s", a.Alert, a.Annotations["runbook_url"], want)
		}
		page, err := os.ReadFile(repository.Path("docs/runbooks/" + a.Alert + ".md"))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, part := range []string{"# " + a.Alert + "\n", "\n**Effect.** ", "\n**Cause.** ", "\n```sh\n", "\n**Remedy.** "} {
			if !strings.Contains(string(page), part) {
				t.Errorf("docs/runbooks/%s.md has no %q", a.Alert, part)
			}
		}
		row := regexp.MustCompile(`(?m)^\| \[` + a.Alert + `\]\(` + a.Alert + `\.md\) \| ` + a.Labels["severity"] + ` \|`)
		if !row.Match(index) {
			t.Errorf("docs/runbooks/README.md has no row of %s with the severity %s", a.Alert, a.Labels["severity"])
		}
	}
	found, err := filepath.Glob(repository.Path("docs/runbooks/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		if !pages[filepath.Base(path)] {
			t.Errorf("%s is the page of no alert", path)
		}
	}
}
