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

// breakages breaks one thing after another in the same cluster, so that each fix is
// proved too.
func breakages(t *testing.T, chosen func() bool) {
	for _, b := range breakable(t) {
		if !chosen() {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			b.breakIt(t)
			hint := ""
			for _, f := range seen(t, b.checks) {
				if f.Check == b.check {
					hint = f.Hint
				}
			}
			if !strings.Contains(hint, b.hint) {
				t.Errorf("the hint is %q, and does not say %q", hint, b.hint)
			}
			b.fix(t)
			seen(t, nil)
		})
	}
	t.Run("rights", func(t *testing.T) {
		if found := seen(t, []string{"rights"}, "--as", "dev"); !strings.Contains(found[0].Hint, "gati-view") {
			t.Errorf("%+v", found)
		}
		kubectl("create", "rolebinding", "dev", "-n", shop, "--clusterrole=gati-view", "--user=dev")(t)
		defer kubectl("delete", "rolebinding", "dev", "-n", shop)(t)
		got := gati(t, "doctor", "-o", "short", "--as", "dev")
		if got.code != exit.OK || !strings.Contains(got.stdout, "note: you may not list deployments; nor create, patch, delete, promote") {
			t.Errorf("who may only read: %+v", got)
		}
	})
}

func breakable(t *testing.T) []breakage {
	calls := []string{"admission", "conversion"}
	return []breakage{
		{"hooks", kubectl("delete", validating), upgrade, []string{"hooks"}, "hooks", "kubectl gati upgrade"},
		{"hook that fails open", patch(validating, "/webhooks/0/failurePolicy", "Ignore"), upgrade, []string{"hooks"}, "hooks", "kubectl gati upgrade"},
		{"policies", kubectl("delete", "validatingadmissionpolicybinding/gati-requests"), upgrade, []string{"policies"}, "policies", "kubectl gati upgrade"},
		{"skew of a CRD", patch("crd/gativersions.gati.dev", "/spec/versions/0/schema/openAPIV3Schema/description", "another"), upgrade, []string{"skew"}, "skew", "kubectl gati upgrade"},
		{
			"stored versions", storedAs("v1", "v1alpha1"), storedAs("v1"),
			[]string{"stored-versions"}, "stored-versions", "kubectl patch crd gativersions.gati.dev --subresource status",
		},
		{"pods", deployment(strings.TrimSpace(strings.TrimPrefix(must(t, "--version").stdout, "kubectl-gati")), "nowhere"), noDeployment, []string{"gati-webhook"}, "gati-webhook", "kubectl describe pods -n gati-system"},
		{"skew of gati-webhook", deployment("v9.9.9", "linux"), noDeployment, []string{"skew"}, "skew", "kubectl krew upgrade gati"},
		{
			"metrics", manifest(strings.Replace(handler, "replicas: 1", "replicas: 1, autoscaling: {enabled: true}", 1)), noHandler,
			[]string{"metrics-api"}, "metrics-api", "install metrics-server",
		},
		{
			"gateway", manifest(strings.Replace(handler, "replicas: 1", "replicas: 1, route: {parentRefs: [{name: public}]}", 1)), noHandler,
			[]string{"gateway"}, "gateway", "install the Gateway API",
		},
		{"gateway class", class, kubectl("delete", "gatewayclass", "nobody"), []string{"gateway"}, "gateway", "example.com/nobody"},
		{"routes", manifest(route), noGatewayAPI, []string{"routes"}, "routes", "kubectl get gateways -A"},
		{"Prometheus", manifest(prometheus), kubectl("delete", "configmap", "-n", "gati-system", "gati-webhook"), []string{"prometheus"}, "prometheus", "prometheus-url"},
		{"gati-webhook dead", kill, run, calls, "admission", "kubectl get pods,endpointslices -n gati-system"},
		{"CA", func(t *testing.T) { kill(t); patch(validating, "/webhooks/0/clientConfig/caBundle", "")(t) }, run, append(calls, "ca-bundle"), "ca-bundle", "see its log"},
		{"expired certificate", func(t *testing.T) { kill(t); expire(t) }, run, append(calls, "certificates"), "certificates", "see why it was not replaced"},
		{"CRDs", kubectl("delete", "crd/gativersions.gati.dev"), upgrade, []string{"crds"}, "crds", "kubectl gati upgrade"},
	}
}

// kubectl is a step that has to succeed.
func kubectl(args ...string) func(t *testing.T) {
	return func(t *testing.T) {
		t.Helper()
		env.Must(t, "", args...)
	}
}

func manifest(text string) func(t *testing.T) {
	return func(t *testing.T) {
		t.Helper()
		applyText(t, text)
	}
}

// patch sets one field.
func patch(object, pointer, value string) func(t *testing.T) {
	return kubectl("patch", object, "--type=json", "-p", fmt.Sprintf(`[{"op":"add","path":%q,"value":%q}]`, pointer, value))
}

// upgrade does what the hint says. Another manager owns the patched fields.
func upgrade(t *testing.T) {
	t.Helper()
	must(t, "upgrade", url(), "--force-conflicts")
}

func kill(t *testing.T) {
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
	return kubectl("patch", "crd", "gativersions.gati.dev", "--subresource=status", "--type=merge",
		"-p", fmt.Sprintf(`{"status":{"storedVersions":["%s"]}}`, strings.Join(versions, `","`)))
}

// class makes a GatewayClass that no controller takes, on a cluster that has the
// Gateway API from now on.
func class(t *testing.T) {
	t.Helper()
	if err := gateway.Install(t.Context(), env.Cluster); err != nil {
		t.Fatal(err)
	}
	applyText(t, "apiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: {name: nobody}\nspec: {controllerName: example.com/nobody}\n")
}

// expire gives every call a CA that has expired.
func expire(t *testing.T) {
	t.Helper()
	bundle := base64.StdEncoding.EncodeToString(expired(t, time.Now().Add(-2*time.Hour), time.Hour))
	for _, at := range []string{mutating + " 0", validating + " 0", validating + " 1"} {
		object, i, _ := strings.Cut(at, " ")
		patch(object, "/webhooks/"+i+"/clientConfig/caBundle", bundle)(t)
	}
	for _, kind := range []string{"gatihandlers", "gatimodules", "gativersions"} {
		patch("crd/"+kind+".gati.dev", "/spec/conversion/webhook/clientConfig/caBundle", bundle)(t)
	}
}

// noGatewayAPI takes away what class has installed, and all that is of it.
func noGatewayAPI(t *testing.T) {
	t.Helper()
	for _, kind := range []string{"httproutes", "gateways", "gatewayclasses"} {
		env.Must(t, "", "delete", "crd", kind+".gateway.networking.k8s.io")
	}
}
