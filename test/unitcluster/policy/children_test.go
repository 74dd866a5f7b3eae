package policy

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// restricted is a pod as Gati plans it.
const restricted = `
securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
containers:
- {name: handler, image: "app:v1", securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}}
volumes: [{name: a, emptyDir: {}}, {name: b, configMap: {name: b}}, {name: c, projected: {sources: []}}]`

// makeChild returns a Deployment or Job of a handler with a pod.
func makeChild(t *testing.T, kind, ns, name, owner, pod string) *unstructured.Unstructured {
	t.Helper()
	var spec map[string]any
	if err := yaml.Unmarshal([]byte(pod), &spec); err != nil {
		t.Fatalf("%v in:\n%s", err, pod)
	}
	o := &unstructured.Unstructured{Object: map[string]any{}}
	labels := map[string]any{"gati.dev/handler": owner}
	template := map[string]any{"metadata": map[string]any{"labels": labels}, "spec": spec}
	o.SetAPIVersion("apps/v1")
	o.Object["spec"] = map[string]any{"selector": map[string]any{"matchLabels": labels}, "template": template}
	if kind == "Job" {
		o.SetAPIVersion("batch/v1")
		spec["restartPolicy"] = "Never"
		o.Object["spec"] = map[string]any{"suspend": true, "template": template}
	}
	o.SetKind(kind)
	o.SetNamespace(ns)
	o.SetName(name)
	o.SetLabels(map[string]string{"gati.dev/handler": owner})
	yes := true
	o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "gati.dev/v1", Kind: "GatiHandler", Name: "users", UID: "users", Controller: &yes}})
	return o
}

// TestChildrenOfTheAccount holds what the account of the controllers may run, with a real
// handler as owner: nothing that the restricted Pod Security Standard refuses, under no name
// that is not the handler's.
func TestChildrenOfTheAccount(t *testing.T) {
	const ns = "children"
	makeNamespace(t, ns)
	c := clientOf(account, "system:serviceaccounts", "system:serviceaccounts:gati-system")
	container := func(fields string) string {
		return strings.Replace(restricted, `image: "app:v1", securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}`, `image: "app:v1", `+fields, 1)
	}
	const escalates, drops = "allowPrivilegeEscalation: false", "capabilities: {drop: [ALL]}"
	faults := map[string]string{
		"hostNetwork":      restricted + "\nhostNetwork: true",
		"hostPID":          restricted + "\nhostPID: true",
		"hostIPC":          restricted + "\nhostIPC: true",
		"hostPath":         strings.Replace(restricted, "emptyDir: {}", "hostPath: {path: /}", 1),
		"nfs":              strings.Replace(restricted, "emptyDir: {}", "nfs: {server: a, path: /}", 1),
		"root may run":     strings.Replace(restricted, "runAsNonRoot: true, ", "", 1),
		"root":             strings.Replace(restricted, "runAsNonRoot: true", "runAsNonRoot: true, runAsUser: 0", 1),
		"no seccomp":       strings.Replace(restricted, "RuntimeDefault", "Unconfined", 1),
		"sysctl":           strings.Replace(restricted, "runAsNonRoot: true", "runAsNonRoot: true, sysctls: [{name: net.core.somaxconn, value: '1'}]", 1),
		"privileged":       container("securityContext: {privileged: true, " + drops + "}"),
		"escalation":       container("securityContext: {" + drops + "}"),
		"capabilities":     container("securityContext: {" + escalates + "}"),
		"a capability":     container("securityContext: {" + escalates + ", capabilities: {drop: [ALL], add: [SYS_ADMIN]}}"),
		"root container":   container("securityContext: {" + escalates + ", " + drops + ", runAsNonRoot: false}"),
		"container uid 0":  container("securityContext: {" + escalates + ", " + drops + ", runAsUser: 0}"),
		"container seccom": container("securityContext: {" + escalates + ", " + drops + ", seccompProfile: {type: Unconfined}}"),
		"hostPort":         container("securityContext: {" + escalates + ", " + drops + "}, ports: [{containerPort: 80, hostPort: 80}]"),
		"init container":   restricted + "\ninitContainers: [{name: i, image: a, securityContext: {privileged: true}}]",
	}
	for kind, name := range map[string]string{"Deployment": "handler-users", "Job": "handler-users-smoke-0a1b2c3d"} {
		if got := describeOutcome(c.Create(t.Context(), makeChild(t, kind, ns, name, "users", restricted), client.DryRunAll)); got != "admitted" {
			t.Errorf("%s as Gati plans it: %s", kind, got)
		}
		for fault, pod := range faults {
			if got := describeOutcome(c.Create(t.Context(), makeChild(t, kind, ns, name, "users", pod), client.DryRunAll)); !strings.Contains(got, "spec.template.spec") {
				t.Errorf("%s with %s: %s; want a refusal by the policy", kind, fault, got)
			}
		}
		for _, other := range [][2]string{{"handler-others", "users"}, {"handler-users", "others"}, {"handler-users2", "users"}, {"module-users", "users"}, {"anything", "users"}} {
			if got := describeOutcome(c.Create(t.Context(), makeChild(t, kind, ns, other[0], other[1], restricted), client.DryRunAll)); !strings.Contains(got, "metadata.name: ") {
				t.Errorf("%s %s with the label of %s: %s; want a refusal by the policy", kind, other[0], other[1], got)
			}
		}
	}
	keepsSidecars(t, c, ns)
}

// keepsSidecars holds that a container and a volume that others gave a Deployment keep the
// account from nothing, and that it may not add such itself.
func keepsSidecars(t *testing.T, c client.Client, ns string) {
	t.Helper()
	foreign := restricted + "\ninitContainers: [{name: mesh, image: mesh, securityContext: {privileged: true}}]"
	if err := admin.Create(t.Context(), makeChild(t, "Deployment", ns, "handler-users--v1", "users", foreign)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := admin.Delete(context.Background(), makeChild(t, "Deployment", ns, "handler-users--v1", "users", foreign)); err != nil {
			t.Error(err)
		}
	})
	for _, patch := range []string{`{"metadata":{"labels":null}}`, `{"metadata":{"ownerReferences":null,"annotations":{"gati.dev/applied":"x"}}}`} {
		o := makeChild(t, "Deployment", ns, "handler-users--v1", "users", "{}")
		if got := describeOutcome(c.Patch(t.Context(), o, client.RawPatch(types.MergePatchType, []byte(patch)), client.DryRunAll)); strings.Contains(got, "gati-controller-pods") {
			t.Errorf("a write of a Deployment without its marks: %s", got)
		}
	}
	for replicas, want := range map[int]string{2: "admitted", 3: "spec.template.spec.containers"} {
		o := makeChild(t, "Deployment", ns, "handler-users--v1", "users", "{}")
		body := fmt.Sprintf(`{"spec":{"replicas":%d}}`, replicas)
		if want != "admitted" {
			body = `{"spec":{"template":{"spec":{"containers":[{"name":"more","image":"a"}]}}}}`
		}
		if got := describeOutcome(c.Patch(t.Context(), o, client.RawPatch("application/strategic-merge-patch+json", []byte(body)), client.DryRunAll)); !strings.Contains(got, want) {
			t.Errorf("a patch of a Deployment with another's sidecar: %s, want %s", got, want)
		}
	}
}

// TestTransformersAreOurs holds who may write the ConfigMap that the pods of a handler mount.
func TestTransformersAreOurs(t *testing.T) {
	const ns = "transformers"
	makeNamespace(t, ns)
	maps := makeRule("", []string{"configmaps"}, []string{"get", "create", "update", "patch"})
	grantRights(t, ns, "mapper", maps)
	grantRights(t, ns, "gitops", maps, makeRule("gati.dev", []string{"gatihandlers"}, []string{"get", "update"}))
	for _, try := range []struct{ who, name, want string }{
		{"mapper", "handler-users-transformers", "metadata.name: the pods of handler users mount"},
		{"mapper", "handler-a-transformers-transformers", "metadata.name: the pods of handler a-transformers mount"},
		{"mapper", "handler-users-settings", "admitted"},
		{"mapper", "transformers", "admitted"},
		{"gitops", "handler-users-transformers", "admitted"},
	} {
		o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: try.name}}
		if got := describeOutcome(clientOf(try.who).Create(t.Context(), o, client.DryRunAll)); !strings.Contains(got, try.want) {
			t.Errorf("%s creates %s: %s, want %s", try.who, try.name, got, try.want)
		}
	}
}
