package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// fromLine is a base image of a Dockerfile, usesLine an action or a container of a
	// workflow.
	fromLine = regexp.MustCompile(`(?m)^FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?\s*$`)
	argLine  = regexp.MustCompile(`(?m)^ARG\s+(\w+)\s*$`)
	usesLine = regexp.MustCompile(`(?m)^\s*(?:-\s+)?(?:uses|image|container):\s*(\S+)`)
	pinned   = regexp.MustCompile(`@(sha256:[0-9a-f]{64}|[0-9a-f]{40})$`)
)

// unpinnedImages returns the base images of a Dockerfile whose content others decide: those
// named without a digest. An argument without a default is named by who builds.
func unpinnedImages(text string) (out []string) {
	given := map[string]bool{"scratch": true}
	for _, m := range argLine.FindAllStringSubmatch(text, -1) {
		given["$"+m[1]], given["${"+m[1]+"}"] = true, true
	}
	for _, m := range fromLine.FindAllStringSubmatch(text, -1) {
		if !given[m[1]] && !pinned.MatchString(m[1]) {
			out = append(out, m[1])
		}
		given[m[2]] = m[2] != ""
	}
	return out
}

// unpinnedActions returns what a workflow uses without naming it by its digest.
func unpinnedActions(text string) (out []string) {
	for _, m := range usesLine.FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(m[1], "./") && !pinned.MatchString(m[1]) {
			out = append(out, m[1])
		}
	}
	return out
}

// TestNothingIsTakenByTag holds that images and actions are named by their digest.
func TestNothingIsTakenByTag(t *testing.T) {
	if got := unpinnedImages(string(read(t, "../../Dockerfile"))); len(got) > 0 {
		t.Errorf("the Dockerfile takes %v without a digest", got)
	}
	workflows, err := filepath.Glob("../../.github/workflows/*")
	if err != nil || len(workflows) == 0 {
		t.Fatalf("there are no workflows (%v)", err)
	}
	for _, path := range workflows {
		if got := unpinnedActions(string(read(t, path))); len(got) > 0 {
			t.Errorf("%s takes %v without a digest", path, got)
		}
	}
}

// TestTagsAreFound holds that the search itself works.
func TestTagsAreFound(t *testing.T) {
	digest := "@sha256:" + strings.Repeat("a", 64)
	for text, want := range map[string]int{
		"FROM golang:1.26 AS build\nFROM scratch\n":                                 1,
		"FROM golang:1.26" + digest + " AS build\nFROM build\n":                     0,
		"ARG GO\nFROM --platform=$P $GO AS build\nFROM scratch\n":                   0,
		"ARG GO=golang:1.26\nFROM ${GO} AS build\nFROM scratch\n":                   1,
		"FROM --platform=linux/amd64 debian\nFROM golang" + digest + "\nFROM a:b\n": 2,
	} {
		if got := unpinnedImages(text); len(got) != want {
			t.Errorf("%q: found %v, want %d", text, got, want)
		}
	}
	for text, want := range map[string]int{
		"      - uses: actions/checkout@v6\n":                                          1,
		"      - uses: actions/checkout@" + strings.Repeat("a", 40) + " # v6\n":        0,
		"    container: golang:1.26\n    steps:\n      - name: x\n        uses: ./a\n": 1,
	} {
		if got := unpinnedActions(text); len(got) != want {
			t.Errorf("%q: found %v, want %d", text, got, want)
		}
	}
}

// TestTheWorkflowRunsWhatIsDocumented holds that the release of a tag is made with the
// commands that docs/release.md shows.
func TestTheWorkflowRunsWhatIsDocumented(t *testing.T) {
	workflow, page := string(read(t, "../../.github/workflows/release.yaml")), string(read(t, "../../docs/release.md"))
	for _, command := range []string{"make release VERSION=", "make sign", "sha256sum --check --strict checksums.txt", "skopeo copy --all --preserve-digests oci-archive:dist/gati-webhook.oci.tar", "skopeo copy --preserve-digests oci-archive:dist/gati-chart.oci.tar", "npm publish --access public --provenance"} {
		if !strings.Contains(workflow, command) || !strings.Contains(page, command) {
			t.Errorf("%q is not in both the workflow and docs/release.md", command)
		}
	}
}
