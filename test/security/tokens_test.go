package security

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/local"
	"gati.dev/gati/test/support/kube"
)

const (
	podSpec = `{containers: [{name: a, image: "a:v1", securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}}], securityContext: {runAsNonRoot: true, runAsUser: 1001, seccompProfile: {type: RuntimeDefault}}}`

	// owner is what the controllers' policy looks for.
	owner = `{apiVersion: gati.dev/v1, kind: GatiHandler, name: a, uid: 00000000-0000-0000-0000-000000000000, controller: true}`
)

// written are objects of one of each kind that a token could be used to write.
var written = []string{
	"{apiVersion: v1, kind: Pod, spec: " + podSpec + "}",
	"{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 0, selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: " + podSpec + "}}}",
	"{apiVersion: apps/v1, kind: ControllerRevision, revision: 1, data: {a: b}}",
	"{apiVersion: batch/v1, kind: Job, spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}}",
	"{apiVersion: v1, kind: Service, spec: {ports: [{port: 80}]}}",
	"{apiVersion: v1, kind: ConfigMap}",
	"{apiVersion: v1, kind: Secret}",
	"{apiVersion: v1, kind: ServiceAccount}",
	"{apiVersion: v1, kind: Event, involvedObject: {kind: Pod, name: a}, type: Normal, reason: A, message: a}",
	"{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, spec: {maxReplicas: 2, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}}}",
	"{apiVersion: policy/v1, kind: PodDisruptionBudget, spec: {maxUnavailable: 1, selector: {matchLabels: {app: a}}}}",
	"{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, spec: {podSelector: {}}}",
	"{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, spec: {}}",
	"{apiVersion: coordination.k8s.io/v1, kind: Lease, spec: {holderIdentity: a}}",
	"{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, rules: []}",
	"{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: admin}, subjects: [{kind: ServiceAccount, name: nobody, namespace: gati-system}]}",
	"{apiVersion: gati.dev/v1, kind: GatiHandler, spec: {path: /a, image: \"a:v1\", replicas: 0}}",
	"{apiVersion: gati.dev/v1, kind: GatiModule, spec: {type: node, moduleName: a, runtime: \"node:20\", image: \"a:v1\", replicas: 0}}",
	"{apiVersion: gati.dev/v1, kind: GatiVersion, spec: {handler: nobody, version: v1}}",
}

// Whoever has the hooks' token can write nothing, whatever the kind: RBAC has few verbs,
// and a policy refuses these unless they are dry runs.
func TestHooksTokenWritesNothing(t *testing.T) {
	const ns = "vault"
	env.Namespace(t, ns)
	thief := withToken(t, local.Account)
	a := newAttempts(t, thief)
	for _, text := range written {
		stored := parseObject(t, text, ns, "stored")
		if err := admin.Create(t.Context(), stored.DeepCopy()); err != nil {
			t.Fatalf("%s: %v", stored.GetKind(), err)
		}
		a.tryCreate(parseObject(t, text, ns, "new"))
		a.tryPatch(stored, `{"metadata":{"labels":{"stolen":"true"}}}`)
		a.tryDelete(stored)
	}
	for _, text := range []string{
		"{apiVersion: v1, kind: Secret, metadata: {namespace: gati-system, name: gati-webhook-ca}}",
		"{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {namespace: gati-system, name: gati-webhook}}",
		"{apiVersion: v1, kind: Namespace, metadata: {name: gati-system}}",
		"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: gati-webhook}}",
		"{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: gati-webhook-account}}",
		"{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: gati-webhook}}",
		"{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: gatihandlers.gati.dev}}",
	} {
		stored := parseObject(t, text, "", "")
		a.tryPatch(stored, `{"metadata":{"labels":{"stolen":"true"}}}`)
		a.tryDelete(stored)
	}
	a.assertHeld(60)

	// What the hooks are for still works.
	if err := thief.Create(t.Context(), parseObject(t, written[1], ns, "tried"), client.DryRunAll); err != nil {
		t.Errorf("a dry run is refused: %v", err)
	}
}

// Whoever has the controllers' token can write what a handler could own, and that in no
// namespace of Kubernetes itself.
func TestControllersTokenWritesOnlyWhatAHandlerOwns(t *testing.T) {
	const ns = "yard"
	env.Namespace(t, ns)
	thief := withToken(t, local.ControllerAccount)
	a := newAttempts(t, thief)
	for _, text := range written {
		a.tryCreate(parseObject(t, text, ns, "new"), "Event")
		a.tryCreate(ownedObject(t, text, "kube-system", owner))
		stored := parseObject(t, text, ns, "stored")
		if err := admin.Create(t.Context(), stored.DeepCopy()); err != nil {
			t.Fatalf("%s: %v", stored.GetKind(), err)
		}
		// Adoption, and a change of what is another's.
		a.tryPatch(stored, `{"metadata":{"ownerReferences":[`+asJSON(t, owner)+`]}}`, "Event", "GatiVersion")
		a.tryPatch(stored, `{"spec":{"keep":true}}`, "Event")
		a.tryDelete(stored)
	}
	for _, other := range []string{
		strings.Replace(owner, "gati.dev/v1", "apps/v1", 1), strings.Replace(owner, "controller: true", "controller: false", 1),
		strings.Replace(owner, "gati.dev/v1", "gati.dev.example.com/v1", 1),
	} {
		a.tryCreate(ownedObject(t, written[1], ns, other))
	}
	// A child of a handler by its owner, name and labels, and more than a handler may run.
	for _, taken := range []string{"hostPID: true, ", "hostNetwork: true, ", "volumes: [{name: node, hostPath: {path: /}}], "} {
		a.tryCreate(ownedObject(t, strings.Replace(written[1], "spec: {containers", "spec: {"+taken+"containers", 1), ns, owner))
	}
	a.tryCreate(ownedObject(t, strings.Replace(written[1], "allowPrivilegeEscalation: false", "privileged: true", 1), ns, owner))
	system := "gati-system"
	for _, text := range []string{written[5], written[6], written[13]} {
		a.tryCreate(parseObject(t, text, system, "another"))
	}
	a.tryCreate(parseObject(t, written[5], ns, "gati-notifications"))
	hooks := parseObject(t, "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: gati-webhook}}", "", "")
	for _, field := range []string{"failurePolicy", "timeoutSeconds"} {
		a.patchJSON(hooks, `[{"op":"replace","path":"/webhooks/0/`+field+`","value":`+map[string]string{"failurePolicy": `"Ignore"`, "timeoutSeconds": "1"}[field]+`}]`)
	}
	a.patchJSON(hooks, `[{"op":"replace","path":"/webhooks/0/clientConfig/url","value":"https://example.com/validate"}]`)
	a.patchJSON(hooks, `[{"op":"remove","path":"/webhooks/1"}]`)
	a.tryPatch(hooks, `{"metadata":{"annotations":{"cert-manager.io/inject-ca-from":"yard/stolen"}}}`)
	crd := parseObject(t, "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: gatihandlers.gati.dev}}", "", "")
	a.tryPatch(crd, `{"spec":{"conversion":{"webhook":{"clientConfig":{"url":"https://example.com/convert"}}}}}`)
	a.patchJSON(crd, `[{"op":"replace","path":"/spec/versions/0/deprecated","value":true}]`)
	a.assertHeld(90)

	// What the controllers are for still works.
	if err := thief.Create(t.Context(), ownedObject(t, written[1], ns, owner), client.DryRunAll); err != nil {
		t.Errorf("a child of a handler is refused: %v", err)
	}
	if err := thief.Create(t.Context(), parseObject(t, written[5], system, "gati-notifications"), client.DryRunAll); err != nil {
		t.Errorf("the state of notifications is refused: %v", err)
	}
}

// withToken returns a client with nothing but a token of one of Gati's accounts.
func withToken(t *testing.T, account string) client.Client {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := env.Cluster.WriteAccountKubeconfig(t.Context(), account, path); err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS, config.WarningHandlerWithContext = -1, rest.NoWarnings{}
	c, err := client.New(config, client.Options{Scheme: kube.Scheme(), Mapper: admin.RESTMapper()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// parseObject reads an object, with a namespace and a name if they are not empty.
func parseObject(t *testing.T, text, ns, name string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if ns != "" {
		o.SetNamespace(ns)
		if involved, ok := o.Object["involvedObject"].(map[string]any); ok {
			involved["namespace"] = ns
		}
	}
	if name != "" {
		o.SetName(name)
	}
	return o
}

// ownedObject is an object with an ownerReference, and the name and labels of a child of its owner.
func ownedObject(t *testing.T, text, ns, owner string) *unstructured.Unstructured {
	t.Helper()
	o := parseObject(t, text, ns, "handler-a")
	o.SetLabels(map[string]string{v1.LabelHandler: "a"})
	var reference map[string]any
	if err := yaml.Unmarshal([]byte(owner), &reference); err != nil {
		t.Fatal(err)
	}
	if err := unstructured.SetNestedSlice(o.Object, []any{reference}, "metadata", "ownerReferences"); err != nil {
		t.Fatal(err)
	}
	return o
}

func asJSON(t *testing.T, text string) string {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// attempts are requests with a stolen token, and what held each.
type attempts struct {
	t          *testing.T
	thief      client.Client
	n          int
	byRBAC     int
	byPolicy   int
	untouched  []*unstructured.Unstructured
	notCreated []*unstructured.Unstructured
}

func newAttempts(t *testing.T, thief client.Client) *attempts { return &attempts{t: t, thief: thief} }

// tryCreate tries to create an object, unless its kind is one that the account may write.
func (a *attempts) tryCreate(o *unstructured.Unstructured, may ...string) {
	if slices.Contains(may, o.GetKind()) {
		return
	}
	a.notCreated = append(a.notCreated, o.DeepCopy())
	a.countDefence("create", o, a.thief.Create(a.t.Context(), o.DeepCopy()))
}

func (a *attempts) tryPatch(o *unstructured.Unstructured, body string, may ...string) {
	if !slices.Contains(may, o.GetKind()) {
		a.tryChange(o, client.RawPatch(types.MergePatchType, []byte(body)))
	}
}

func (a *attempts) patchJSON(o *unstructured.Unstructured, body string) {
	a.tryChange(o, client.RawPatch(types.JSONPatchType, []byte(body)))
}

func (a *attempts) tryChange(o *unstructured.Unstructured, patch client.Patch) {
	a.t.Helper()
	a.countDefence("patch", o, a.thief.Patch(a.t.Context(), o.DeepCopy(), patch))
}

func (a *attempts) tryDelete(o *unstructured.Unstructured) {
	a.countDefence("delete", o, a.thief.Delete(a.t.Context(), o.DeepCopy()))
	a.untouched = append(a.untouched, o)
}

// countDefence counts what held one request.
func (a *attempts) countDefence(verb string, o *unstructured.Unstructured, err error) {
	a.t.Helper()
	a.n++
	what := fmt.Sprintf("%s %s %s/%s", verb, o.GetKind(), o.GetNamespace(), o.GetName())
	switch {
	case err != nil && strings.Contains(err.Error(), "ValidatingAdmissionPolicy"):
		a.byPolicy++
		a.t.Logf("tried: %s; held: a policy", what)
	case apierrors.IsForbidden(err):
		a.byRBAC++
		a.t.Logf("tried: %s; held: RBAC", what)
	default:
		a.t.Errorf("%s: got %v, want a refusal by RBAC or a policy", what, err)
	}
}

// assertHeld holds that enough was tried, that nothing new is there and nothing is gone.
func (a *attempts) assertHeld(least int) {
	a.t.Helper()
	logDefence(a.t, "%d requests: RBAC refused %d, policies %d", a.n, a.byRBAC, a.byPolicy)
	if a.n < least || a.byPolicy == 0 || a.byRBAC == 0 {
		a.t.Errorf("%d requests were tried, want %d at least, of which RBAC and policies each refuse some", a.n, least)
	}
	for _, o := range a.notCreated {
		if err := admin.Get(context.Background(), client.ObjectKeyFromObject(o), o.DeepCopy()); !apierrors.IsNotFound(err) {
			a.t.Errorf("%s %s/%s is there: %v", o.GetKind(), o.GetNamespace(), o.GetName(), err)
		}
	}
	for _, o := range a.untouched {
		live := o.DeepCopy()
		if err := admin.Get(context.Background(), client.ObjectKeyFromObject(o), live); err != nil || live.GetLabels()["stolen"] != "" || live.GetDeletionTimestamp() != nil {
			a.t.Errorf("%s %s/%s was changed or removed: %v", o.GetKind(), o.GetNamespace(), o.GetName(), err)
		}
	}
}
