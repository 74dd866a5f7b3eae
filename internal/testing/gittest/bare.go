package gittest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Bare is a bare repository.
type Bare struct {
	t *testing.T
	// Path is its folder.
	Path string
}

// NewBare makes an empty bare repository whose first branch is main.
func NewBare(t *testing.T) *Bare {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "plans.git")
	if err := Init(folder); err != nil {
		t.Fatal(err)
	}
	return Open(t, folder)
}

// Init makes an empty bare repository in a folder.
func Init(folder string) error {
	for _, args := range [][]string{
		{"init", "--quiet", "--bare", "--initial-branch=main", folder},
		{"-C", folder, "config", "http.receivepack", "true"},
		{"-C", folder, "config", "uploadpack.allowFilter", "true"},
	} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
		}
	}
	return nil
}

// Open returns the bare repository of a folder for a test.
func Open(t *testing.T, folder string) *Bare { return &Bare{t: t, Path: folder} }

// URL returns the address of the folder.
func (b *Bare) URL() string { return "file://" + b.Path }

// Git runs git in the repository and returns what it prints.
func (b *Bare) Git(args ...string) string {
	b.t.Helper()
	return run(b.t, b.Path, args...)
}

// Seed commits files to a branch, as another writer does.
func (b *Bare) Seed(branch, message string, files map[string]string) {
	b.t.Helper()
	work := b.t.TempDir()
	run(b.t, work, "init", "--quiet", "--initial-branch="+branch)
	run(b.t, work, "remote", "add", "origin", b.Path)
	if strings.Contains(b.Git("branch", "--list", branch), branch) {
		run(b.t, work, "pull", "--quiet", "origin", branch)
	}
	for name, content := range files {
		path := filepath.Join(work, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
	run(b.t, work, "add", "--all")
	run(b.t, work, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "--quiet", "-m", message)
	run(b.t, work, "push", "--quiet", "origin", branch)
}

// Log returns the subjects of a branch, the oldest first.
func (b *Bare) Log(branch string) []string {
	b.t.Helper()
	return strings.Split(strings.TrimSpace(b.Git("log", "--reverse", "--format=%s", branch)), "\n")
}

// CheckLinear fails the test where a commit of a branch has two parents, or an object is
// missing or broken. Others may push meanwhile: git fsck lists the objects before it reads
// the branches, and would miss those of a push in between, so it is told where to begin.
func (b *Bare) CheckLinear(branch string) {
	b.t.Helper()
	head := strings.TrimSpace(b.Git("rev-parse", branch))
	if merges := b.Git("rev-list", "--merges", head); merges != "" {
		b.t.Errorf("%s has merges: %s", branch, merges)
	}
	b.Git("fsck", "--strict", "--no-dangling", head)
}

// Grep returns every object of the repository, reachable or not, that holds a text.
func (b *Bare) Grep(text string) []string {
	b.t.Helper()
	var found []string
	for _, line := range strings.Split(b.Git("cat-file", "--batch-check", "--batch-all-objects"), "\n") {
		hash, _, ok := strings.Cut(line, " ")
		if ok && strings.Contains(b.Git("cat-file", "-p", hash), text) {
			found = append(found, hash)
		}
	}
	return found
}

func run(t *testing.T, folder string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v: %s%s", strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}
