package install

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/pkg/remedy"
	"gati.dev/gati/test/support/await"
)

// warehouse is the namespace of the fleet.
const warehouse = "warehouse"

// How many there are of each; make soak NAME=oneInstallOverAnother takes a fleet.
var (
	handlers = soak.Pick("oneInstallOverAnother", 100, 8)
	modules  = soak.Pick("oneInstallOverAnother", 10, 4)
	// spare is how many records a round changes, deletes and creates at most.
	spare = soak.Pick("oneInstallOverAnother", 50, 8)
	// rounds is how often one install.yaml is applied over another.
	rounds = soak.Pick("oneInstallOverAnother", 5, 3)
)

// "install.yaml applied twice, over the one of the first commit of this project
// that has one, and the other way round: CRDs stay established, clients resume
// and miss no event, no pod template changes. kubectl delete -f install.yaml with
// handlers and gati-webhook dead ends; every API object that install made is
// gone."
func TestOneInstallOverAnother(t *testing.T) {
	env.Namespace(t, warehouse)
	grantLaterRights(t)
	c := newAdminClient(t)
	before := env.AtRest(t)
	t.Cleanup(func() { removeAll(t) })

	applyFirst(t, writeLocalManifest(t, first))
	applyFile(t, writeLocalManifest(t, early))
	env.Must(t, "", "create", "serviceaccount", "gati-controller", "-n", "gati-system")
	startWebhook(t)
	makeFleet(t, c)
	t.Run("Apply", func(t *testing.T) { appliesRollNothing(t, c) })
	t.Run("Delete", func(t *testing.T) { deleteEnds(t, c, before) })
	t.Run("ApplyAgain", func(t *testing.T) {
		applyFile(t, writeLocalManifest(t, shipped))
		startWebhook(t)
		awaitProblems(t, nil)
	})
	t.Run("Restore", func(t *testing.T) {
		damageInstallation(t)
		found := awaitProblems(t, []string{"hooks", "policies"})
		executeFix(t, found[0], remedy.Upgrade)
		awaitProblems(t, nil)
	})
	t.Run("Uninstall", func(t *testing.T) {
		mustRunGati(t, "uninstall", "--yes")
		if out, there := env.Kubectl(t.Context(), "", "get", "namespace", "gati-system"); there {
			t.Errorf("kubectl gati uninstall leaves\n%s", out)
		}
	})
}

// damageInstallation deletes one object, and has another manager change one.
func damageInstallation(t *testing.T) {
	t.Helper()
	env.Must(t, "", "delete", "validatingadmissionpolicybinding/gati-requests")
	env.Must(t, "", "patch", validating, "--field-manager=operator", "--type=json", "-p", `[{"op":"replace","path":"/webhooks/0/failurePolicy","value":"Ignore"}]`)
}

// removeAll takes away what the test leaves, so that it can be run again.
func removeAll(t *testing.T) {
	t.Helper()
	if err := env.Webhook.Stop(); err != nil {
		t.Error(err)
	}
	for _, args := range [][]string{
		{"delete", "--ignore-not-found", "-f", shipped},
		{"delete", "--ignore-not-found", "clusterrole,clusterrolebinding", "-l", "test.gati.dev/later-rights"},
	} {
		if out, ok := env.Kubectl(context.Background(), "", args...); !ok {
			t.Error(out)
		}
	}
}

// laterRights are what the program of today has and the accounts of an early
// install.yaml do not: endpoints, Jobs, and the rights of that one account for the controllers,
// which have an account of their own.
const laterRights = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: later-rights, labels: {test.gati.dev/later-rights: "true"}}
rules:
- {apiGroups: [discovery.k8s.io], resources: [endpointslices], verbs: [get, list, watch]}
- {apiGroups: [batch], resources: [jobs], verbs: [get, list, watch, create, delete]}
- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [create]}
- {apiGroups: [coordination.k8s.io], resources: [leases], resourceNames: [gati-webhook], verbs: [get, update]}
- {apiGroups: [""], resources: [secrets], verbs: [create]}
- {apiGroups: [""], resources: [secrets], resourceNames: [gati-webhook-ca], verbs: [get, watch, update]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: later-rights, labels: {test.gati.dev/later-rights: "true"}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: later-rights}
subjects:
- {kind: ServiceAccount, name: gati-webhook, namespace: gati-system}
- {kind: ServiceAccount, name: gati-controller, namespace: gati-system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: later-rights-children, labels: {test.gati.dev/later-rights: "true"}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: gati-webhook}
subjects:
- {kind: ServiceAccount, name: gati-controller, namespace: gati-system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: later-rights-ca, labels: {test.gati.dev/later-rights: "true"}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: gati-webhook-ca-injector}
subjects:
- {kind: ServiceAccount, name: gati-controller, namespace: gati-system}
`

// grantLaterRights grants laterRights.
func grantLaterRights(t *testing.T) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rights.yaml")
	if err := os.WriteFile(file, []byte(laterRights), 0o600); err != nil {
		t.Fatal(err)
	}
	applyFile(t, file)
}

// startWebhook starts gati-webhook as the account that was installed.
func startWebhook(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), await.Patience)
	defer cancel()
	if err := env.Webhook.Authorize(ctx); err != nil {
		t.Fatal(err)
	}
	if err := env.Webhook.Start(ctx); err != nil {
		t.Fatal(err)
	}
}

// applyFile applies a manifest as a user does.
func applyFile(t *testing.T, path string) {
	t.Helper()
	env.Must(t, "", "apply", "-f", path)
}

// applyServerSide takes over what kubectl has applied on the client's side, as it
// tells its user to: the policies' matchConstraints are in conflict because the
// API server has filled in defaults.
func applyServerSide(t *testing.T, path string) {
	t.Helper()
	env.Must(t, "", "apply", "--server-side", "--force-conflicts", "-f", path)
}

// applyFirst applies the first install.yaml, of which an API server refuses two
// CRDs: everything else of it is applied.
func applyFirst(t *testing.T, path string) {
	t.Helper()
	out, ok := env.Kubectl(t.Context(), "", "apply", "-f", path)
	if ok || strings.Count(out, "Error from server") != 2 || strings.Count(out, "exceeds budget") < 2 {
		t.Fatalf("want two CRDs refused for what their rules cost:\n%.2000s", out)
	}
}

// makeFleet makes the handlers and modules that live through it all. Most have no
// pods: what is looked at are templates.
func makeFleet(t *testing.T, c client.Client) {
	t.Helper()
	for i := range handlers {
		h := builders.MakeHandler(fmt.Sprintf("h%d", i)).Namespace(warehouse).Path(fmt.Sprintf("/h%d", i)).Image("app:v1.0.0").Replicas(0)
		if i%10 == 0 {
			h.Replicas(2)
		}
		createObject(t, c, h.Obj())
	}
	for i := range modules {
		createObject(t, c, builders.MakeModule(fmt.Sprintf("m%d", i)).Namespace(warehouse).ModuleName("m").Runtime("node:20").Image("m:v1.0.0").Obj())
	}
	await.Eventually(t, "handlers and modules that are all Ready", func() error { return allReady(t, c) })
}

func createObject(t *testing.T, c client.Client, obj client.Object) {
	t.Helper()
	if err := c.Create(t.Context(), obj); err != nil {
		t.Fatalf("create %s: %v", obj.GetName(), err)
	}
}

func allReady(t *testing.T, c client.Client) error {
	t.Helper()
	all := map[string][]metav1.Condition{}
	for _, h := range listObjects(t, c, &v1.GatiHandlerList{}).Items {
		all["handler "+h.Name] = h.Status.Conditions
	}
	for _, m := range listObjects(t, c, &v1.GatiModuleList{}).Items {
		all["module "+m.Name] = m.Status.Conditions
	}
	for name, conditions := range all {
		if !meta.IsStatusConditionTrue(conditions, v1.ConditionReady) {
			return fmt.Errorf("%s is not Ready: %+v", name, conditions)
		}
	}
	if len(all) != handlers+modules {
		return fmt.Errorf("there are %d", len(all))
	}
	return nil
}

func listObjects[L client.ObjectList](t *testing.T, c client.Client, into L) L {
	t.Helper()
	if err := c.List(t.Context(), into, client.InNamespace(warehouse)); err != nil {
		t.Fatal(err)
	}
	return into
}

// readTemplates returns the pod templates of the namespace and their Deployments'
// generations.
func readTemplates(t *testing.T, c client.Client) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, d := range listObjects(t, c, &appsv1.DeploymentList{}).Items {
		raw, err := json.Marshal(d.Spec.Template)
		if err != nil {
			t.Fatal(err)
		}
		out[d.Name] = fmt.Sprintf("generation %d: %s", d.Generation, raw)
	}
	return out
}
