package expand_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gati.dev/gati/pkg/cli/clitest"
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
			wantStderr: "error: there is no GatiHandler, GatiModule or GatiVersion in -\n", wantCode: exit.Error,
		},
		"every document's faults": {
			args: []string{"-f", "-"}, stdin: handler + "---\n" + handler,
			wantStderr: "error: standard input:1: " + noImage + "error: standard input:2: " + noImage,
			wantCode:   exit.Unhealthy,
		},
		"no file": {
			wantStderr: "error: name a file, a directory or - with -f\n", wantCode: exit.Usage,
		},
		"no such file": {
			args:       []string{"-f", "testdata/absent.yaml"},
			wantStderr: "error: lstat testdata/absent.yaml: no such file or directory\n", wantCode: exit.Error,
		},
		"a URL": {
			args:       []string{"-f", "https://example.com/users.yaml"},
			wantStderr: "error: https://example.com/users.yaml is a URL; fetch it first and give the file, or - for the standard input\n", wantCode: exit.Usage,
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
