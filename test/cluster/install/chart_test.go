package install

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/remedies"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/remedy"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/peers"
	"gati.dev/gati/test/support/repository"
	"gati.dev/gati/test/support/terminal"
)

// TestHelmReleaseIsRestored holds that doctor --fix restores an installation by the chart from
// the release, and that Helm upgrades and uninstalls it afterwards. The API server reaches no
// Service of this cluster, so what calls gati-webhook stays a problem.
func TestHelmReleaseIsRestored(t *testing.T) {
	peers.Need(t)
	bin := t.TempDir()
	if err := os.Symlink(os.Getenv("GATI_HELM"), filepath.Join(bin, "helm")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	for _, kind := range []string{"CACHE", "CONFIG", "DATA"} {
		t.Setenv("HELM_"+kind+"_HOME", t.TempDir())
	}
	before := env.AtRest(t)
	defer runGati(t, "uninstall", "--all", "--yes") // for the tests that follow a failure
	chart := repository.Path("charts", "gati")
	mustShell(t, "helm install gati "+chart+" --namespace gati-system --create-namespace")
	damageInstallation(t)
	damaged := awaitDamage(t, true)
	if got := runGati(t, "doctor", "--fix", "--yes"); got.code != exit.Unhealthy || !strings.Contains(got.stderr, damaged[0].Fix[0]+"\n") {
		t.Errorf("doctor --fix: %+v", got)
	}
	awaitDamage(t, false)
	damageInstallation(t)
	remedies.Execute(t, env.Shell, remedy.RestoreChart, awaitDamage(t, true)[0].Hint)
	awaitDamage(t, false)

	mustShell(t, "helm upgrade gati "+chart+" --namespace gati-system --set webhook.replicas=3")
	if got := env.Must(t, "", "get", "deployment/gati-webhook", "-n", "gati-system", "-o", "jsonpath={.spec.replicas}"); got != "3" {
		t.Errorf("after helm upgrade gati-webhook has %s replicas", got)
	}
	mustShell(t, "helm uninstall gati --namespace gati-system --wait")
	mustRunGati(t, "uninstall", "--all", "--yes")
	if left := terminal.Difference(env.MustInventory(t), before); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func mustShell(t *testing.T, line string) {
	t.Helper()
	if out, err := env.Shell(t.Context(), line); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// awaitDamage waits until the doctor finds what damageInstallation does, or none of it, and
// returns it.
func awaitDamage(t *testing.T, is bool) (found []finding) {
	t.Helper()
	checks := map[bool][]string{true: {"hooks", "policies"}}[is]
	await.Eventually(t, "problems of exactly "+strings.Join(checks, ", "), func() error {
		all, err := listProblems(t)
		if err != nil {
			return err
		}
		found = slices.DeleteFunc(all, func(f finding) bool { return f.Check != "hooks" && f.Check != "policies" })
		return checkFoundBy(found, checks)
	})
	return found
}
