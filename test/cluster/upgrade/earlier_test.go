package upgrade

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gati.dev/gati/test/support/repository"
)

// fromVariable names the commit that the long form upgrades from, in place of
// earlierCommit: the last one whose conditions took a rollback for success.
const fromVariable, earlierCommit = "GATI_UPGRADE_FROM", "66bca4754428"

// release is the source of a release and its gati-webhook.
type release struct{ source, binary string }

// declaredCommit is the last one that took records of transformers for proof.
const declaredCommit = "cab7e565"

// thisRelease is the release of this checkout.
func thisRelease(t *testing.T) release {
	t.Helper()
	return release{source: repository.Path(), binary: env.Cluster.Tools().Webhook}
}

// buildEarlier checks out and builds the release of a commit.
func buildEarlier(t *testing.T, commit string) release {
	t.Helper()
	dir := t.TempDir()
	r := release{source: filepath.Join(dir, "source"), binary: filepath.Join(dir, "gati-webhook")}
	runProgram(t, repository.Path(), "git", "worktree", "add", "--detach", r.source, commit)
	t.Cleanup(func() { runProgram(t, repository.Path(), "git", "worktree", "remove", "--force", r.source) })
	built := filepath.Join(dir, "build", "gati-webhook")
	runProgram(t, r.source, "go", "build", "-trimpath", "-o", built, "./cmd/gati-webhook")
	if r.hasTwoAccounts(t) {
		r.binary = built
		return r
	}
	if err := os.WriteFile(r.binary, fmt.Appendf(nil, withOneAccount, built), 0o700); err != nil {
		t.Fatal(err)
	}
	return r
}

// hasTwoAccounts reports whether hooks and controllers of a release have an account each.
func (r release) hasTwoAccounts(t *testing.T) bool {
	t.Helper()
	config, err := os.ReadFile(filepath.Join(r.source, "cmd", "gati-webhook", "app", "config.go"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(config), `"controllers-kubeconfig"`)
}

// withOneAccount starts a release in which hooks and controllers had one account.
const withOneAccount = `#!/bin/sh
for arg; do
  shift
  case $arg in --controllers-kubeconfig=*) ;; *) set -- "$@" "$arg" ;; esac
done
exec %s "$@"
`

// applyManifests applies the manifests of a release.
func (r release) applyManifests(t *testing.T) {
	t.Helper()
	manifests := runProgram(t, r.source, "go", "run", "./hack/render", "-overlay", "local", "-url", env.Webhook.URL())
	if _, err := env.Cluster.Run(t.Context(), manifests, "apply", "-f", "-"); err != nil {
		t.Fatal(err)
	}
}

// freeHooks lets the hooks' account write again: in earlier releases the controllers have
// it too. An upgrade puts the binding back.
func freeHooks(t *testing.T) {
	t.Helper()
	if _, err := env.Cluster.Run(t.Context(), "", "delete", "validatingadmissionpolicybinding", "gati-webhook-account", "--ignore-not-found"); err != nil {
		t.Fatal(err)
	}
}

func runProgram(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...) // Not bound to the test: a cleanup runs after its context.
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v", name, args, err)
	}
	return string(out)
}
