package install

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/remedies"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/remedy"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/terminal"
)

const handler = `apiVersion: gati.dev/v1
kind: GatiHandler
metadata: {name: users, namespace: shop}
spec: {path: /users, image: "users:v1.0.0", replicas: 1}
`

// TestInstallation takes one cluster from nothing through everything and back.
func TestInstallation(t *testing.T) {
	env.Namespace(t, shop)
	before := env.AtRest(t)

	t.Run("Before", func(t *testing.T) {
		mustRunGati(t, "doctor", "--pre")
		awaitProblems(t, []string{"crds"})
		awaitProblems(t, []string{"install-rights"}, "--pre", "--as", "dev")
		if got := runGati(t, "upgrade"); got.code != exit.Error || !strings.Contains(got.stderr, "kubectl gati install") {
			t.Errorf("upgrade of nothing: %+v", got)
		}
		if got := mustRunGati(t, "install", "--dry-run"); !strings.Contains(got.stdout, "create   customresourcedefinition/gatihandlers.gati.dev\n") {
			t.Errorf("plan:\n%s", got.stdout)
		}
		if more := terminal.Difference(env.MustInventory(t), before); len(more) > 0 {
			t.Errorf("install --dry-run has made %v", more)
		}
	})
	installGati(t)
	t.Run("Again", func(t *testing.T) {
		if got := mustRunGati(t, "install", webhookURLFlag()); !strings.HasPrefix(got.stderr, "0 to create, 0 to change, ") {
			t.Errorf("a second install: %+v", got)
		}
	})
	t.Run("OverKubectls", overKubectls)
	t.Run("Breakages", func(t *testing.T) { tryBreakages(t) })
	t.Run("UninstallKeeps", assertUninstallKeeps)
	t.Run("MovesInside", movesInside)
	installGati(t)
	t.Run("UninstallAll", func(t *testing.T) { leavesNothing(t, before) })
}

func webhookURLFlag() string { return "--webhook-url=" + env.Webhook.URL() }

// installGati installs Gati for a gati-webhook beside the cluster. The process needs
// the account first, so the wait is another command's.
func installGati(t *testing.T) {
	t.Helper()
	mustRunGati(t, "install", webhookURLFlag(), "--wait=false")
	startWebhook(t)
	mustRunGati(t, "install", webhookURLFlag())
	awaitProblems(t, nil)
}

// overKubectls holds that upgrade takes over what "kubectl apply -f install.yaml" has written,
// and nothing that another manager has.
func overKubectls(t *testing.T) {
	const is, was = "the account gati-webhook only tries objects", "the account gati-webhook tried objects"
	exported := mustRunGati(t, "install", webhookURLFlag(), "--export").stdout
	if !strings.Contains(exported, is) {
		t.Fatal("the manifests have no text to change")
	}
	older := strings.Replace(exported, is, was, 1)
	applyText(t, older)
	message := func() string {
		return env.Must(t, "", "get", "validatingadmissionpolicy/gati-webhook-account", "-o", "jsonpath={.spec.validations[0].message}")
	}
	if got := message(); !strings.Contains(got, was) {
		t.Fatalf("kubectl has not written %q", got)
	}
	refused := runGati(t, "install", webhookURLFlag()).stderr
	if shown := remedies.Execute(t, env.Shell, remedy.PreviewUpgrade, refused); !strings.Contains(shown, "change   validatingadmissionpolicy/gati-webhook-account\n") {
		t.Errorf("the differences are\n%s", shown)
	}
	mustRunGati(t, "upgrade", webhookURLFlag())
	if got := message(); !strings.Contains(got, is) {
		t.Errorf("upgrade leaves %q", got)
	}
	if got := mustRunGati(t, "upgrade", webhookURLFlag()); !strings.HasPrefix(got.stderr, "0 to create, 0 to change, ") {
		t.Errorf("a second upgrade: %+v", got)
	}
	env.Must(t, "", "patch", "validatingadmissionpolicy/gati-webhook-account", "--field-manager=operator", "--type=json", "-p", `[{"op":"replace","path":"/spec/failurePolicy","value":"Ignore"}]`)
	if got := runGati(t, "upgrade", webhookURLFlag()); got.code != exit.Error || !strings.Contains(got.stderr, `conflict with "operator"`) {
		t.Errorf("upgrade over another manager: %+v", got)
	}
	mustRunGati(t, "upgrade", webhookURLFlag(), "--force-conflicts")
}

// movesInside holds that a Gati outside the cluster is moved into it by the commands that name
// the way: the CRDs stay, and another manager has written their address too. Both ways go.
func movesInside(t *testing.T) {
	address := func() string {
		return env.Must(t, "", "get", "crd/gatihandlers.gati.dev", "-o", "jsonpath={.spec.conversion.webhook.clientConfig.url}")
	}
	found, err := listProblems(t)
	if err != nil || len(found) == 0 || !slices.ContainsFunc(found, func(f finding) bool {
		return slices.Contains(f.Fix, "kubectl gati upgrade "+strings.Replace(webhookURLFlag(), "=", " ", 1))
	}) {
		t.Errorf("after uninstall: %+v, %v", found, err)
	}
	mustRunGati(t, "install", webhookURLFlag(), "--wait=false")
	refused := runGati(t, "install").stderr
	remedies.Execute(t, env.Shell, remedy.Uninstall, refused)
	// The API server reaches no Service of this cluster, so nothing becomes healthy here.
	remedies.Execute(t, withoutWait, remedy.Install, refused)
	if got := address(); got != "" {
		t.Errorf("the CRD is converted at %s", got)
	}
	mustRunGati(t, "uninstall", "--yes")
}

// withoutWait runs a command that otherwise ends once Gati is healthy.
func withoutWait(ctx context.Context, line string) (string, error) {
	return env.Shell(ctx, line+" --wait=false")
}

// assertUninstallKeeps holds that uninstall leaves CRDs, handlers and pods, and says so; and that
// what it exports is what was written.
func assertUninstallKeeps(t *testing.T) {
	applyText(t, handler)
	env.Must(t, "", "wait", "-n", shop, "gatihandler/users", "--for=condition=Ready", "--timeout=90s")
	crds := strings.Join(crdsOf(mustRunGati(t, "install", webhookURLFlag(), "--export").stdout), "---")
	if out, err := env.Cluster.Run(t.Context(), crds, "apply", "--server-side", "--field-manager=demo", "-f", "-"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	pods := env.Must(t, "", "get", "pods", "-n", shop, "-o", "name")

	exported := mustRunGati(t, "uninstall", "--export").stdout
	if want := "apiVersion: gati.dev/v1\nkind: GatiHandler\nmetadata:\n"; !strings.HasPrefix(exported, want) || strings.Contains(exported, "GatiVersion") {
		t.Errorf("exported:\n%s", exported)
	}
	got := mustRunGati(t, "uninstall", "--yes")
	for _, stays := range []string{"customresourcedefinition/gatihandlers.gati.dev", "gatihandler/users -n shop"} {
		if !strings.Contains(got.stderr, "  "+stays+"\n") || strings.Contains(got.stdout, stays) {
			t.Errorf("uninstall does not say that %s stays:\n%s%s", stays, got.stdout, got.stderr)
		}
	}
	if err := env.Webhook.Kill(); err != nil {
		t.Fatal(err)
	}
	if now := env.Must(t, "", "get", "pods", "-n", shop, "-o", "name"); now != pods || now == "" {
		t.Errorf("the pods were %q and are %q", pods, now)
	}
	env.Must(t, "", "get", "gatihandler/users", "-n", shop)
	if _, there := env.Kubectl(t.Context(), "", "get", "namespace", "gati-system"); there {
		t.Error("gati-system is still there")
	}
}

// crdsOf returns the CRDs of a stream of YAML.
func crdsOf(stream string) (crds []string) {
	for _, doc := range strings.Split(stream, "\n---") {
		if strings.Contains(doc, "\nkind: CustomResourceDefinition\n") {
			crds = append(crds, doc+"\n")
		}
	}
	return crds
}

// leavesNothing holds that uninstall --all, with gati-webhook dead, leaves the
// cluster as it was.
func leavesNothing(t *testing.T, before map[string]bool) {
	if err := env.Webhook.Kill(); err != nil {
		t.Fatal(err)
	}
	got := mustRunGati(t, "uninstall", "--all", "--yes")
	t.Logf("%s", got.stderr)
	await.Eventually(t, "cluster as it was", func() error {
		after, err := env.Inventory(t.Context())
		if err != nil {
			return err
		}
		if left := terminal.Difference(after, before); len(left) > 0 {
			return fmt.Errorf("left: %v", left)
		}
		return nil
	})
	if lost := terminal.Difference(before, env.MustInventory(t)); len(lost) > 0 {
		t.Errorf("gone, and none of ours: %v", lost)
	}
	if got := mustRunGati(t, "uninstall", "--all"); !strings.Contains(got.stderr, "Gati is not installed") {
		t.Errorf("a second uninstall: %+v", got)
	}
}

// applyText applies a manifest as a person does.
func applyText(t *testing.T, manifest string) {
	t.Helper()
	if _, err := env.Cluster.Run(t.Context(), manifest, "apply", "-f", "-"); err != nil {
		t.Fatal(err)
	}
}
