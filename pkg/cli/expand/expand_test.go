package expand_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
)

type cmdTestCase struct {
	args       []string
	stdin      string
	wantStdout string
	wantStderr string
	wantCode   int
}

const handler = `apiVersion: gati.dev/v1
kind: GatiHandler
metadata:
  name: users
spec:
  path: /api/users
`

// TestExpand runs the command on the webhook's own pipeline. What the pipeline
// says in detail is its own tests' affair: names are enough here.
func TestExpand(t *testing.T) {
	const kinds, children = "jsonpath={.items[*].kind}", "ConfigMap Deployment Service"
	noImage := "GatiHandler users: spec.image: Required value: no image is known; set spec.image, or name the application's image once for the namespace: kubectl annotate namespace <namespace> gati.dev/image=<image>\n"
	cases := map[string]cmdTestCase{
		"standard input": {
			args: []string{"-f", "-", "--image", "app:v1", "-o", kinds}, stdin: handler, wantStdout: children,
		},
		"passes others over": {
			args: []string{"-f", "-", "--image", "app:v1", "-o", kinds}, stdin: "apiVersion: v1\nkind: ConfigMap\n---\n" + handler, wantStdout: children,
		},
		"nothing of ours": {
			args: []string{"-f", "-"}, stdin: "apiVersion: v1\nkind: ConfigMap\n",
			wantStderr: "error: no GatiHandler, GatiModule or GatiVersion found in -\n", wantCode: exit.Error,
		},
		"every document's faults": {
			args: []string{"-f", "-"}, stdin: handler + "---\n" + handler,
			wantStderr: "error: standard input:1: " + noImage + "error: standard input:8: " + noImage,
			wantCode:   exit.Unhealthy,
		},
		"no file": {
			wantStderr: "error: specify a file, a directory or - with -f, or the name of an object in the cluster\n", wantCode: exit.Usage,
		},
		"no such file": {
			args:       []string{"-f", "testdata/absent.yaml"},
			wantStderr: "error: the path \"testdata/absent.yaml\" does not exist\n", wantCode: exit.Error,
		},
		"a name and a file": {
			args:       []string{"users", "-f", "-"},
			wantStderr: "error: a name and -f cannot be combined\n", wantCode: exit.Usage,
		},
		"the image of a Namespace": {
			args:       []string{"-f", "-", "-n", "shop", "-o", "jsonpath={.items[?(@.kind==\"Deployment\")].spec.template.spec.containers[0].image}"},
			stdin:      "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, annotations: {gati.dev/image: shop:v3}}\n---\n" + handler,
			wantStdout: "shop:v3",
		},
		"a List": {
			args: []string{"-f", "-", "-o", kinds, "--image", "app:v1"}, wantStdout: children,
			stdin: `{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "gati.dev/v1", "kind": "GatiHandler", "metadata": {"name": "users"}, "spec": {"path": "/users"}}]}`,
		},
		"charts without a directory": {
			args:       []string{"-f", "-", "--target", "helm"},
			wantStderr: "error: --target helm writes charts; specify their directory with -o DIR\n", wantCode: exit.Usage,
		},
		"an unknown target": {
			args:       []string{"-f", "-", "--target", "aws"},
			wantStderr: "error: unknown target \"aws\"; the targets are kubernetes, helm\n", wantCode: exit.Usage,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := clitest.Run(t.Context(), tc.stdin, append([]string{"expand"}, tc.args...)...)
			want := clitest.Result{Stdout: tc.wantStdout, Stderr: tc.wantStderr, Code: tc.wantCode}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want,+got):\n%s", diff)
			}
		})
	}
}

// TestExpandCharts holds that --target helm writes a chart for each owner, in place of an
// earlier one of Gati's and of no other.
func TestExpandCharts(t *testing.T) {
	dir := t.TempDir()
	run := func(manifest string) clitest.Result {
		return clitest.Run(t.Context(), manifest, "expand", "-f", "-", "--image", "app:v1", "--target", "helm", "-o", dir)
	}
	chart := filepath.Join(dir, "handler-users")
	if diff := cmp.Diff(clitest.Result{Stdout: chart + "\n" + filepath.Join(dir, "handler-orders") + "\n"}, run(handler+"---\n"+strings.ReplaceAll(handler, "users", "orders"))); diff != "" {
		t.Fatalf("(-want,+got):\n%s", diff)
	}
	files := func() []string {
		found, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
		if err != nil || len(found) < 3 {
			t.Fatalf("%q, %v", found, err)
		}
		return found
	}
	before := files()
	if err := os.WriteFile(filepath.Join(chart, "templates", "old.yaml"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := run(handler); got.Code != 0 {
		t.Fatal(got)
	}
	if diff := cmp.Diff(before, files()); diff != "" {
		t.Errorf("templates after a second time (-want,+got):\n%s", diff)
	}
	if err := os.WriteFile(filepath.Join(chart, "Chart.yaml"), []byte("name: mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := run(handler); got.Code != exit.Error || !strings.Contains(got.Stderr, "was not written by Gati; choose another directory") {
		t.Errorf("over a chart of another: %+v", got)
	}
	if err := os.Remove(filepath.Join(chart, "Chart.yaml")); err != nil {
		t.Fatal(err)
	}
	if got := run(handler); got.Code != exit.Error || !strings.Contains(got.Stderr, "the directory has other files") {
		t.Errorf("over other files: %+v", got)
	}
}

// TestExpandChartsOfNamespaces holds that owners of one name in several namespaces have a chart
// each.
func TestExpandChartsOfNamespaces(t *testing.T) {
	dir := t.TempDir()
	in := func(ns string) string {
		return strings.Replace(handler, "  name: users\n", "  name: users\n  namespace: "+ns+"\n", 1)
	}
	got := clitest.Run(t.Context(), in("shop")+"---\n"+in("prod"), "expand", "-f", "-", "--image", "app:v1", "--target", "helm", "-o", dir)
	want := clitest.Result{Stdout: filepath.Join(dir, "shop", "handler-users") + "\n" + filepath.Join(dir, "prod", "handler-users") + "\n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("(-want,+got):\n%s", diff)
	}
	for _, ns := range []string{"shop", "prod"} {
		if found, err := filepath.Glob(filepath.Join(dir, ns, "handler-users", "templates", "*")); err != nil || len(found) < 3 {
			t.Errorf("namespace %s: %q, %v", ns, found, err)
		}
	}
}

// TestExpandStored holds that an object of the cluster is expanded with the image that its
// namespace names, and that nothing is written.
func TestExpandStored(t *testing.T) {
	objs := statustest.Healthy()
	objs.Handlers[0].Spec.Image = ""
	server := clitest.NewServer(t, objs)
	args := append([]string{"expand", "gh/users", "db", "-o", "jsonpath={range .items[*]}{.kind} {end}"}, server.Connection()...)
	got := clitest.Run(t.Context(), "", args...)
	want := clitest.Result{Stdout: "ConfigMap Deployment Service ConfigMap NetworkPolicy Deployment Service "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want,+got):\n%s", diff)
	}
	for _, right := range server.Used() {
		if verb, _, _ := strings.Cut(right, " "); verb != "get" && verb != "list" {
			t.Errorf("used the right to %s", right)
		}
	}
	got = clitest.Run(t.Context(), "", append([]string{"expand", "nobody"}, server.Connection()...)...)
	want = clitest.Result{Stderr: "error: no handler or module \"nobody\" in namespace shop\n", Code: exit.Error}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want,+got):\n%s", diff)
	}
}

// TestExpandRefused holds that what gati-webhook would refuse is named with exit code 3,
// and that nothing else is printed.
func TestExpandRefused(t *testing.T) {
	objs := statustest.Healthy()
	port := int32(0)
	objs.Handlers[0].Spec.Port = &port
	server := clitest.NewServer(t, objs)
	got := clitest.Run(t.Context(), "", append([]string{"expand", "gh/users", "gm/db"}, server.Connection()...)...)
	if got.Code != exit.Unhealthy || got.Stdout != "" || !strings.HasPrefix(got.Stderr, "error: gh/users: gati-webhook would refuse it: spec.port: ") {
		t.Errorf("got %+v", got)
	}
}

// TestExpandDuringCanary holds that the children are those of all versions in service,
// with the weights of the current step.
func TestExpandDuringCanary(t *testing.T) {
	objs := statustest.AwaitingPromotion()
	h := &objs.Handlers[0]
	h.UID = "of-users"
	before := h.DeepCopy()
	before.Spec.Version, before.Spec.Image = "v1.0.0", "my-app:v1.0.0"
	old, current := makeRevision(t, before, 1), makeRevision(t, h, 2)
	h.Status.Rollout.Stable.Revision, h.Status.Rollout.Target.Revision = old.Name, current.Name
	h.Status.Versions[0].Revision, h.Status.Versions[1].Revision = old.Name, current.Name
	for i := range objs.Deployments {
		objs.Deployments[i].OwnerReferences = old.OwnerReferences
	}
	server := clitest.NewServer(t, objs)
	server.Send("httproutes", "ADDED", makeRoute(h.Namespace, 80, 20))
	server.Send("controllerrevisions", "ADDED", old)
	server.Send("controllerrevisions", "ADDED", current)
	const columns = `{.kind} {.metadata.name} {.spec.template.spec.containers[0].image}{range .spec.rules[0].backendRefs[*]}{.name}={.weight} {end}{"\n"}`
	args := append([]string{"expand", "gh/users", "-o", "jsonpath={range .items[*]}" + columns + "{end}"}, server.Connection()...)
	got := clitest.Run(t.Context(), "", args...)
	want := clitest.Result{Stdout: "ConfigMap handler-users-5368e3d3 \nConfigMap handler-users-a19ce4ad \n" +
		"Deployment handler-users my-app:v1.0.0\nService handler-users--main \n" +
		"Deployment handler-users--v2-0-0 my-app:v2.0.0\nService handler-users--v2-0-0 \n" +
		"Service handler-users \nHTTPRoute handler-users handler-users=80 handler-users--v2-0-0=20 \n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want,+got):\n%s", diff)
	}
}

// makeRevision returns the stored revision of a handler's spec.
func makeRevision(t *testing.T, h *v1.GatiHandler, sequence int64) *appsv1.ControllerRevision {
	t.Helper()
	result, resolved := admit.Handler(h, nil, facts.Facts{Namespace: h.Namespace, HTTPRouteServed: true})
	object, err := expand.HandlerRevisionObject(h, expand.NewHandlerRevision(h, resolved, result.Hash, sequence, nil))
	if err != nil {
		t.Fatal(err)
	}
	yes := true
	object.OwnerReferences = []metav1.OwnerReference{{APIVersion: v1.GroupVersion.String(), Kind: "GatiHandler", Name: h.Name, UID: h.UID, Controller: &yes}}
	return object
}

// makeRoute returns the live route of the handler users with two versions.
func makeRoute(namespace string, stable, canary int32) *gatewayv1.HTTPRoute {
	backend := func(service string, weight int32) gatewayv1.HTTPBackendRef {
		out := gatewayv1.HTTPBackendRef{}
		out.Name, out.Weight = gatewayv1.ObjectName(service), &weight
		return out
	}
	route := &gatewayv1.HTTPRoute{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "handler-users", Generation: 1}}
	route.Spec.Rules = []gatewayv1.HTTPRouteRule{{BackendRefs: []gatewayv1.HTTPBackendRef{
		backend("handler-users--main", stable), backend("handler-users--v2-0-0", canary),
	}}}
	return route
}
