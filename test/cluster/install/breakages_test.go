package install

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/test/support/gateway"
)

const (
	mutating   = "mutatingwebhookconfiguration/gati-webhook"
	validating = "validatingwebhookconfiguration/gati-webhook"
)

// breakage is one thing made wrong, and made right again.
type breakage struct {
	name         string
	breakIt, fix func(t *testing.T)
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
			hint := ""
			for _, f := range awaitProblems(t, b.checks) {
				if f.Check == b.check {
					hint = f.Hint
				}
			}
			if !strings.Contains(hint, b.hint) {
				t.Errorf("the hint is %q, and does not say %q", hint, b.hint)
			}
			b.fix(t)
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
		{"hooks", kubectlStep("delete", validating), upgradeGati, []string{"hooks"}, "hooks", "kubectl gati upgrade"},
		{"hook that fails open", patchStep(validating, "/webhooks/0/failurePolicy", "Ignore"), upgradeGati, []string{"hooks"}, "hooks", "kubectl gati upgrade"},
		{"policies", kubectlStep("delete", "validatingadmissionpolicybinding/gati-requests"), upgradeGati, []string{"policies"}, "policies", "kubectl gati upgrade"},
		{"skew of a CRD", patchStep("crd/gativersions.gati.dev", "/spec/versions/0/schema/openAPIV3Schema/description", "another"), upgradeGati, []string{"skew"}, "skew", "kubectl gati upgrade"},
		{
			"stored versions", storedAs("v1", "v1alpha1"), storedAs("v1"),
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
		{"CRDs", kubectlStep("delete", "crd/gativersions.gati.dev"), upgradeGati, []string{"crds"}, "crds", "kubectl gati upgrade"},
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
