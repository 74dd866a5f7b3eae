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
	// checks find it, and no others; hint is what the finding of check says to do, in part, and
	// named are the commands of it that end the breakage or show what it is.
	checks []string
	check  string
	hint   string
	named  []remedy.Remedy
}

// tryBreakages breaks one thing after another in the same cluster, so that each fix is
// proved too.
func tryBreakages(t *testing.T) {
	for _, b := range listBreakages(t) {
		t.Run(b.name, func(t *testing.T) {
			b.breakIt(t)
			var found finding
			for _, f := range awaitProblems(t, b.checks) {
				if f.Check == b.check {
					found = f
				}
			}
			if !strings.Contains(found.Hint, b.hint) {
				t.Errorf("the hint is %q, and does not say %q", found.Hint, b.hint)
			}
			if (b.fix == nil) != (len(found.Fix) > 0) {
				t.Fatalf("the fix is %q", found.Fix)
			}
			if b.fix != nil {
				for _, r := range b.named {
					remedies.Execute(t, env.Shell, r, found.Hint)
				}
				b.fix(t)
			} else {
				executeFix(t, found, b.named...)
			}
			awaitProblems(t, nil)
		})
	}
	t.Run("rights", func(t *testing.T) {
		if found := awaitProblems(t, []string{"rights"}, "--as", "dev"); !strings.Contains(found[0].Hint, "gati-view") {
			t.Errorf("%+v", found)
		}
		if shown := remedies.Execute(t, env.Shell, remedy.Diagnose, runGati(t, "doctor", "--as", "dev").stdout); !strings.Contains(shown, "the three CRDs are established") {
			t.Errorf("an administrator is shown\n%s", shown)
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
	upgrade := []remedy.Remedy{remedy.Upgrade}
	return []breakage{
		{"hooks", kubectlStep("delete", validating), nil, []string{"hooks"}, "hooks", " --webhook-url https://", upgrade},
		{"hook that fails open", patchStep(validating, "/webhooks/0/failurePolicy", "Ignore"), nil, []string{"hooks"}, "hooks", " --webhook-url https://", upgrade},
		{"policies", kubectlStep("delete", "validatingadmissionpolicybinding/gati-requests"), nil, []string{"policies"}, "policies", "", upgrade},
		{
			"skew of a CRD", patchStep("crd/gativersions.gati.dev", "/spec/versions/0/schema/openAPIV3Schema/description", "another"), func(*testing.T) {},
			[]string{"skew"}, "skew", "kubectl krew upgrade gati", upgrade,
		},
		{
			"stored versions", storedAs("v1", "v1alpha1"), nil,
			[]string{"stored-versions"}, "stored-versions", "", []remedy.Remedy{remedy.WriteAnew, remedy.MarkStored},
		},
		{
			"pods", deploymentStep(strings.TrimSpace(strings.TrimPrefix(mustRunGati(t, "--version").stdout, "kubectl-gati")), "nowhere"), noDeployment,
			[]string{"gati-webhook"}, "gati-webhook", "", []remedy.Remedy{remedy.ShowPods},
		},
		{"skew of gati-webhook", deploymentStep("v9.9.9", "linux"), noDeployment, []string{"skew"}, "skew", "kubectl krew upgrade gati", nil},
		{
			"metrics", manifestStep(strings.Replace(handler, "replicas: 1", "replicas: 1, autoscaling: {enabled: true}", 1)), noHandler,
			[]string{"metrics-api"}, "metrics-api", "install metrics-server", nil,
		},
		{
			"metrics API that is down", manifestStep(metricsAPI), kubectlStep("delete", "apiservice", "v1beta1.metrics.k8s.io"),
			[]string{"metrics-api"}, "metrics-api", "", []remedy.Remedy{remedy.ShowMetricsAPI},
		},
		{
			"gateway", manifestStep(strings.Replace(handler, "replicas: 1", "replicas: 1, route: {parentRefs: [{name: public}]}", 1)), noHandler,
			[]string{"gateway"}, "gateway", "install the Gateway API", nil,
		},
		{"gateway class", makeGatewayClass, kubectlStep("delete", "gatewayclass", "nobody"), []string{"gateway"}, "gateway", "example.com/nobody", nil},
		{"routes", manifestStep(route), kubectlStep("delete", "httproute", "handler-users", "-n", shop), []string{"routes"}, "routes", "", []remedy.Remedy{remedy.ShowGateways}},
		{"refused route", refuseRoute, noGatewayAPI, []string{"routes"}, "routes", "", []remedy.Remedy{remedy.ShowGateway}},
		{"Prometheus", manifestStep(prometheus), kubectlStep("delete", "configmap", "-n", "gati-system", "gati-webhook"), []string{"prometheus"}, "prometheus", "prometheus-url", nil},
		{"gati-webhook dead", killWebhook, startWebhook, calls, "admission", "", []remedy.Remedy{remedy.ShowEndpoints}},
		{"CA", func(t *testing.T) { killWebhook(t); patchStep(validating, "/webhooks/0/clientConfig/caBundle", "")(t) }, startWebhook, append(calls, "ca-bundle"), "ca-bundle", "the log of gati-webhook at ", nil},
		{"expired certificate", func(t *testing.T) { killWebhook(t); expireCA(t) }, startWebhook, append(calls, "certificates"), "certificates", "the log of gati-webhook at ", nil},
		{"CRDs", kubectlStep("delete", "crd/gativersions.gati.dev"), nil, []string{"crds"}, "crds", "", upgrade},
		{
			"CRD whose names are taken", takeNames, kubectlStep("delete", "crd/rivals.gati.dev"),
			[]string{"crds"}, "crds", "", []remedy.Remedy{remedy.ShowCRD},
		},
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

// executeFix holds that the remedies of a finding are its fix, and that "doctor --fix" runs them.
func executeFix(t *testing.T, f finding, named ...remedy.Remedy) {
	t.Helper()
	out := mustRunGati(t, "doctor", "--fix", "--yes")
	for i, r := range named {
		if len(named) != len(f.Fix) || remedies.Find(r, f.Fix[i]) != f.Fix[i] || !strings.Contains(out.stderr, f.Fix[i]+"\n") {
			t.Errorf("want %q in the fix %q, which prints\n%s", r, f.Fix, out.stderr)
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

// refuseRoute has a gateway that refuses a route.
func refuseRoute(t *testing.T) {
	t.Helper()
	applyText(t, route)
	applyText(t, "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: public, namespace: shop}\nspec: {gatewayClassName: nobody, listeners: [{name: web, port: 80, protocol: HTTP}]}\n")
	const refusal = `{"status":{"parents":[{"controllerName":"example.com/nobody","parentRef":{"name":"public"},"conditions":[` +
		`{"type":"Accepted","status":"False","reason":"NoRoom","message":"no room","lastTransitionTime":"2026-01-01T00:00:00Z"},` +
		`{"type":"ResolvedRefs","status":"True","reason":"ResolvedRefs","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}]}}`
	env.Must(t, "", "patch", "httproute/handler-users", "-n", shop, "--subresource=status", "--type=merge", "-p", refusal)
}

// takeNames has another CRD take the names of one of Gati's, which is then not established.
func takeNames(t *testing.T) {
	t.Helper()
	env.Must(t, "", "delete", "crd/gativersions.gati.dev")
	applyText(t, rivalCRD)
	env.Must(t, "", "wait", "--for=condition=Established", "crd/rivals.gati.dev", "--timeout=60s")
	mustRunGati(t, "upgrade", webhookURLFlag(), "--wait=false")
}

// noGatewayAPI takes away what class has installed, and all that is of it.
func noGatewayAPI(t *testing.T) {
	t.Helper()
	for _, kind := range []string{"httproutes", "gateways", "gatewayclasses"} {
		env.Must(t, "", "delete", "crd", kind+".gateway.networking.k8s.io")
	}
}
