package expand_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sums lists the files of the corpus as sha256sum prints them. Lines are added at
// its end and none is ever changed.
const sums = corpus + "/SHA256SUMS"

// TestCorpusNeverChanges holds that each file of the corpus is as it was when it
// was added.
func TestCorpusNeverChanges(t *testing.T) {
	listed := map[string]string{}
	for _, line := range lines(t, sumsNow(t)) {
		sum, name, ok := strings.Cut(line, "  ")
		if !ok || listed[name] != "" {
			t.Fatalf("%s: %q is no line of sha256sum, or the file's second", sums, line)
		}
		listed[name] = sum
	}
	have := corpusFiles(t)
	for name, sum := range listed {
		switch have[name] {
		case sum:
		case "":
			t.Errorf("%s is gone from the corpus: what it promises to users still holds", name)
		default:
			t.Errorf("%s has changed: put it back and add what is new beside it", name)
		}
	}
	for name := range have {
		if listed[name] == "" {
			t.Errorf("%s is not in %s; go test ./pkg/expand -update adds it", name, sums)
		}
	}
}

// TestCorpusHistoryOnlyGrows holds that the list has every line that it ever had:
// a file could be changed together with its sum. Only the history can tell, as
// far as the checkout has one.
func TestCorpusHistoryOnlyGrows(t *testing.T) {
	commits, err := exec.Command("git", "log", "--format=%H", "--", sums).Output()
	if err != nil {
		t.Logf("no history to compare with: %v", err)
		return
	}
	now := lines(t, sumsNow(t))
	for _, commit := range strings.Fields(string(commits)) {
		then, err := exec.Command("git", "show", commit+":./"+sums).Output()
		if err != nil {
			t.Fatalf("%s in %s: %v; a list that was removed takes its promises along", sums, commit, err)
		}
		for _, line := range lines(t, then) {
			if !slices.Contains(now, line) {
				t.Errorf("commit %.12s had the line %q, which is gone", commit, line)
			}
		}
	}
}

// sumUp adds the files that the list does not have yet.
func sumUp(t *testing.T) {
	t.Helper()
	list, err := os.ReadFile(sums)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	have := corpusFiles(t)
	for _, line := range lines(t, list) {
		_, name, _ := strings.Cut(line, "  ")
		delete(have, name)
	}
	var added []string
	for name, sum := range have {
		added = append(added, fmt.Sprintf("%s  %s\n", sum, name))
	}
	slices.SortFunc(added, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	if err := os.WriteFile(sums, append(list, strings.Join(added, "")...), 0o644); err != nil {
		t.Fatal(err)
	}
}

func sumsNow(t *testing.T) []byte {
	t.Helper()
	list, err := os.ReadFile(sums)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// corpusFiles are the sums of the files of the corpus by their paths in it.
func corpusFiles(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(corpus, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == filepath.FromSlash(sums) {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(corpus, path)
		sum := sha256.Sum256(content)
		out[filepath.ToSlash(name)] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func lines(t *testing.T, text []byte) []string {
	t.Helper()
	var out []string
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		out = append(out, s.Text())
	}
	return out
}
