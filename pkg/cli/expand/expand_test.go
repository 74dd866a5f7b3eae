package expand_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/cli/exit"
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
			wantStderr: "error: lstat testdata/absent.yaml: no such file or directory\n", wantCode: exit.Error,
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
		"a URL": {
			args:       []string{"-f", "https://example.com/users.yaml"},
			wantStderr: "error: https://example.com/users.yaml is a URL; download it first and specify the file, or - for standard input\n", wantCode: exit.Usage,
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

// TestExpandStored holds that an object of the cluster is expanded as it is stored,
// with the image that its namespace names, and that nothing else is read.
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
	if requests := server.Requests(); len(requests) != 3 {
		t.Errorf("requests %q", requests)
	}
	got = clitest.Run(t.Context(), "", append([]string{"expand", "nobody"}, server.Connection()...)...)
	want = clitest.Result{Stderr: "error: no handler or module \"nobody\" in namespace shop\n", Code: exit.Error}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want,+got):\n%s", diff)
	}
}
