package status_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/reasons"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/status"
)

// entryRow is an entry of the page: anchor, reason, message and remedy.
var entryRow = regexp.MustCompile("(?m)^\\| <a id=\"([a-z-]+)\"></a>`?([A-Za-z ]+?)`? \\| (?:`([^`]+)`|–) \\| (.+) \\|$")

// entries returns the rows of the page by anchor.
func entries(t *testing.T) map[string][]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, row := range entryRow.FindAllStringSubmatch(string(page), -1) {
		out[row[1]] = row[2:]
	}
	if lines := strings.Count(string(page), "<a id="); lines != len(out) {
		t.Errorf("%d of %d entries can be read", len(out), lines)
	}
	return out
}

// TestEveryReasonHasItsEntry holds that the page explains each reason, and no other.
func TestEveryReasonHasItsEntry(t *testing.T) {
	want := map[string]string{"not-observed": "not observed"}
	for _, r := range reasons.Waiting() {
		want["waits-for-"+strings.ToLower(string(r))] = string(r)
	}
	for _, r := range reasons.Stays() {
		want["stays-for-"+strings.ToLower(string(r))] = string(r)
	}
	for _, r := range reasons.Conditions() {
		want["condition-"+strings.ToLower(string(r))] = string(r)
	}
	have := entries(t)
	for anchor, reason := range want {
		if have[anchor] == nil || have[anchor][0] != reason {
			t.Errorf("no entry %s for %s", anchor, reason)
		}
	}
	for anchor := range have {
		if want[anchor] == "" {
			t.Errorf("the entry %s is about no reason", anchor)
		}
	}
}

// TestEntriesHaveTheMessagesThatArePrinted looks for each part of a message in the code.
func TestEntriesHaveTheMessagesThatArePrinted(t *testing.T) {
	var code strings.Builder
	for _, pattern := range []string{"../rollout/*.go", "../diagnose/*.go", "../target/*.go", "../target/gitops/repository/*.go", "../controller/report/*.go", "*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			code.Write(text)
		}
	}
	source := strings.ReplaceAll(code.String(), "%%", "%")
	for anchor, entry := range entries(t) {
		for part := range strings.SplitSeq(entry[1], "…") {
			if part = strings.TrimSpace(strings.TrimRight(part, ".")); !strings.Contains(source, part) {
				t.Errorf("%s: nothing prints %q", anchor, part)
			}
		}
	}
}

// TestExplainLeadsToAnEntry holds that the cause of each state has an entry.
func TestExplainLeadsToAnEntry(t *testing.T) {
	have := entries(t)
	check := func(t *testing.T, objs status.Objects) {
		t.Helper()
		s := status.Build(objs, statustest.Now)
		for i := range s.Handlers {
			e := s.ExplainHandler(&s.Handlers[i])
			anchor, isPage := strings.CutPrefix(e.See, "https://gati.dev/docs/troubleshooting.md#")
			if isFound := isPage && have[anchor] != nil; isFound != (e.Cause != nil && e.Health != status.Deleting) {
				t.Errorf("%s: cause %+v, see %q", e.Health, e.Cause, e.See)
			}
		}
	}
	for name, objs := range statustest.Scenarios() {
		t.Run(name, func(t *testing.T) { check(t, objs) })
	}
	for _, r := range reasons.Waiting() {
		t.Run(string(r), func(t *testing.T) {
			objs := statustest.AtStep()
			objs.Handlers[0].Status.Rollout.WaitingFor = &v1.WaitingStatus{Reason: r, Message: "m"}
			check(t, objs)
		})
	}
}
