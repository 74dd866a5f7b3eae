package install

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"gati.dev/gati/internal/testing/remedies"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/remedy"
	"gati.dev/gati/test/support/gateway"
)

const (
	mutating   = "mutatingwebhookconfiguration/gati-webhook"
	validating = "validatingwebhookconfiguration/gati-webhook"
)

// breakage is one thing made wrong, and made right again.
type breakage struct {
	name    string
	breakIt func(t *testing.T)
	// fix makes it right where "doctor --fix" cannot, nil where it has to.
	fix func(t *testing.T)
	// checks find it, and no others; hint is what the first of its finding says
	// to do, in part.
	checks []string
	check  string
	hint   string
}

// tryBreakages breaks one thing after another in the same cluster, so that each fix is
// proved too.
func tryBreakages(t *testing.T, chosen func() bool) {
	for _, b := range listBreakages(t) {
		if !chosen() {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			b.breakIt(t)
			var found finding
			for _, f := range awaitProblems(t, b.checks) {
				if f.Check == b.check {
					found = f
				}
				executeRemedies(t, f)
			}
			if !strings.Contains(found.Hint, b.hint) {
				t.Errorf("the hint is %q, and does not say %q", found.Hint, b.hint)
			}
			if (b.fix == nil) != (len(found.Fix) > 0) {
				t.Fatalf("the fix is %q", found.Fix)
			}
			if b.fix != nil {
				b.fix(t)
			} else {
				mustRunGati(t, "doctor", "--fix", "--yes")
			}
			awaitProblems(t, nil)
		})
	}
	t.Run("rights", func(t *testing.T) {
		if found := awaitProblems(t, []string{"rights"}, "--as", "dev"); !strings.Contains(found[0].Hint, "gati-view") {
			t.Errorf("%+v", found)
		}
		kubectlStep("create", "rolebinding", "dev", "-n", shop, "--clusterrole=gati-view", "--user=dev")(t)
		defer kubectlStep("delete", "rolebinding", "dev", "-n", shop)(t)
		got := runGati(t, "doctor", "-o", "short", "--as", "dev")
		if got.code != exit.OK || !strings.Contains(got.stdout, "note: you may not list deployments; nor create, patch, delete, promote") {
			t.Errorf("who may only read: %+v", got)
		}
	})
}

func listBreakages(t *testing.T) []breakage {
	calls := []string{"admission", "conversion"}
	return []breakage{
		{"hooks", kubectlStep("delete", validating), nil, []string{"hooks"}, "hooks", "kubectl gati upgrade --webhook-url https://"},
		{"hook that fails open", patchStep(validating, "/webhooks/0/failurePolicy", "Ignore"), nil, []string{"hooks"}, "hooks", "kubectl gati upgrade --webhook-url https://"},
		{"policies", kubectlStep("delete", "validatingadmissionpolicybinding/gati-requests"), nil, []string{"policies"}, "policies", "kubectl gati upgrade"},
		{"skew of a CRD", patchStep("crd/gativersions.gati.dev", "/spec/versions/0/schema/openAPIV3Schema/description", "another"), upgradeGati, []string{"skew"}, "skew", "kubectl gati upgrade"},
		{
			"stored versions", storedAs("v1", "v1alpha1"), nil,
			[]string{"stored-versions"}, "stored-versions", "kubectl patch crd gativersions.gati.dev --subresource status",
		},
		{"pods", deploymentStep(strings.TrimSpace(strings.TrimPrefix(mustRunGati(t, "--version").stdout, "kubectl-gati")), "nowhere"), noDeployment, []string{"gati-webhook"}, "gati-webhook", "kubectl describe pods -n gati-system"},
		{"skew of gati-webhook", deploymentStep("v9.9.9", "linux"), noDeployment, []string{"skew"}, "skew", "kubectl krew upgrade gati"},
		{
			"metrics", manifestStep(strings.Replace(handler, "replicas: 1", "replicas: 1, autoscaling: {enabled: true}", 1)), noHandler,
			[]string{"metrics-api"}, "metrics-api", "install metrics-server",
		},
		{
			"gateway", manifestStep(strings.Replace(handler, "replicas: 1", "replicas: 1, route: {parentRefs: [{name: public}]}", 1)), noHandler,
			[]string{"gateway"}, "gateway", "install the Gateway API",
		},
		{"gateway class", makeGatewayClass, kubectlStep("delete", "gatewayclass", "nobody"), []string{"gateway"}, "gateway", "example.com/nobody"},
		{"routes", manifestStep(route), noGatewayAPI, []string{"routes"}, "routes", "kubectl get gateways -A"},
		{"Prometheus", manifestStep(prometheus), kubectlStep("delete", "configmap", "-n", "gati-system", "gati-webhook"), []string{"prometheus"}, "prometheus", "prometheus-url"},
		{"gati-webhook dead", killWebhook, startWebhook, calls, "admission", "kubectl get pods,endpointslices -n gati-system"},
		{"CA", func(t *testing.T) { killWebhook(t); patchStep(validating, "/webhooks/0/clientConfig/caBundle", "")(t) }, startWebhook, append(calls, "ca-bundle"), "ca-bundle", "see its log"},
		{"expired certificate", func(t *testing.T) { killWebhook(t); expireCA(t) }, startWebhook, append(calls, "certificates"), "certificates", "see why it was not replaced"},
		{"CRDs", kubectlStep("delete", "crd/gativersions.gati.dev"), nil, []string{"crds"}, "crds", "kubectl gati upgrade"},
	}
}

// kubectlStep is a step that has to succeed.
func kubectlStep(args ...string) func(t *testing.T) {
	return func(t *testing.T) {
		t.Helper()
		env.Must(t, "", args...)
	}
}

func manifestStep(text string) func(t *testing.T) {
	return func(t *testing.T) {
		t.Helper()
		applyText(t, text)
	}
}

// patchStep sets one field.
func patchStep(object, pointer, value string) func(t *testing.T) {
	return kubectlStep("patch", object, "--type=json", "-p", fmt.Sprintf(`[{"op":"add","path":%q,"value":%q}]`, pointer, value))
}

// upgradeGati does what the hint says. Another manager owns the patched fields.
func upgradeGati(t *testing.T) {
	t.Helper()
	mustRunGati(t, "upgrade", webhookURLFlag(), "--force-conflicts")
}

// executeRemedies runs the commands that a hint names and that change nothing, as they are
// typed. Those that change something are run by "doctor --fix".
func executeRemedies(t *testing.T, f finding) {
	t.Helper()
	if len(f.Fix) > 0 {
		return
	}
	for _, r := range remedy.All() {
		command := remedies.Find(r, f.Hint)
		if command == "" || r == remedy.Upgrade || r == remedy.UpgradePlugin {
			continue
		}
		if out, err := env.Shell(t.Context(), command); err != nil {
			t.Errorf("%s: %s: %v\n%s", f.Check, command, err, out)
		}
	}
}

func killWebhook(t *testing.T) {
	t.Helper()
	if err := env.Webhook.Kill(); err != nil {
		t.Fatal(err)
	}
}

func noHandler(t *testing.T) {
	t.Helper()
	env.Must(t, "", "delete", "gatihandler", "users", "-n", shop)
}

func noDeployment(t *testing.T) {
	t.Helper()
	env.Must(t, "", "delete", "deployment", "gati-webhook", "-n", "gati-system")
}

func storedAs(versions ...string) func(t *testing.T) {
	return kubectlStep("patch", "crd", "gativersions.gati.dev", "--subresource=status", "--type=merge",
		"-p", fmt.Sprintf(`{"status":{"storedVersions":["%s"]}}`, strings.Join(versions, `","`)))
}

// makeGatewayClass makes a GatewayClass that no controller takes, on a cluster that has the
// Gateway API from now on.
func makeGatewayClass(t *testing.T) {
	t.Helper()
	if err := gateway.Install(t.Context(), env.Cluster); err != nil {
		t.Fatal(err)
	}
	applyText(t, "apiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: {name: nobody}\nspec: {controllerName: example.com/nobody}\n")
}

// expireCA gives every call a CA that has expired.
func expireCA(t *testing.T) {
	t.Helper()
	bundle := base64.StdEncoding.EncodeToString(makeExpiredCA(t, time.Now().Add(-2*time.Hour), time.Hour))
	for _, at := range []string{mutating + " 0", validating + " 0", validating + " 1"} {
		object, i, _ := strings.Cut(at, " ")
		patchStep(object, "/webhooks/"+i+"/clientConfig/caBundle", bundle)(t)
	}
	for _, kind := range []string{"gatihandlers", "gatimodules", "gativersions"} {
		patchStep("crd/"+kind+".gati.dev", "/spec/conversion/webhook/clientConfig/caBundle", bundle)(t)
	}
}

// noGatewayAPI takes away what class has installed, and all that is of it.
func noGatewayAPI(t *testing.T) {
	t.Helper()
	for _, kind := range []string{"httproutes", "gateways", "gatewayclasses"} {
		env.Must(t, "", "delete", "crd", kind+".gateway.networking.k8s.io")
	}
}
