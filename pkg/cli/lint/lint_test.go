package lint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/pkg/cli/exit"
)

const (
	handler = "apiVersion: gati.dev/v1\nkind: GatiHandler\nmetadata: {name: users}\nspec: {path: /users, image: app:v1}\n"
	record  = "apiVersion: gati.dev/v1\nkind: GatiVersion\nmetadata: {name: users-v1}\nspec: {handler: users, version: v1}\n"
)

// TestGolden holds what is found in a file with several objects, and where. That it
// is what an apply says, test/cluster/badfiles holds.
func TestGolden(t *testing.T) {
	t.Setenv("KUBECONFIG", os.DevNull)
	for name, format := range map[string][]string{
		"text": nil, "color": {"--color", "always"}, "json": {"-o", "json"}, "yaml": {"-o", "yaml"},
		"jsonpath": {"-o", `jsonpath={range .findings[*]}{.code} {.line}{"\n"}{end}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := clitest.Run(t.Context(), "", append([]string{"lint", "-f", "testdata/mixed.yaml"}, format...)...)
			golden.Compare(t, name+".txt", got.Stdout)
			summary := ""
			if len(format) == 0 || name == "color" {
				summary = "3 objects: 4 errors, 1 warning\n"
			}
			if got.Code != exit.Unhealthy || got.Stderr != summary {
				t.Errorf("exit code %d, stderr %q", got.Code, got.Stderr)
			}
		})
	}
}

func TestLint(t *testing.T) {
	t.Setenv("KUBECONFIG", "/nowhere")
	before := filepath.Join(t.TempDir(), "before.yaml")
	if err := os.WriteFile(before, []byte(record), 0o600); err != nil {
		t.Fatal(err)
	}
	const unusual = "standard input:4: warning: GatiHandler users: spec.image: has no tag or :latest, so pods may run different code; name a version or a digest [unusual]\n"
	latest := handler[:len(handler)-len("app:v1}\n")] + "app:latest}\n"
	cases := map[string]struct {
		args  []string
		stdin string
		want  clitest.Result
	}{
		"nothing wrong": {stdin: handler, want: clitest.Result{Stderr: "1 object: 0 errors, 0 warnings\n"}},
		"unusual":       {stdin: latest, want: clitest.Result{Stdout: unusual, Stderr: "1 object: 0 errors, 1 warning\n"}},
		"unusual, strict": {
			args: []string{"--strict"}, stdin: latest,
			want: clitest.Result{Stdout: unusual, Stderr: "1 object: 0 errors, 1 warning\n", Code: exit.Unhealthy},
		},
		"unchanged since": {args: []string{"--before", before}, stdin: record, want: clitest.Result{Stderr: "1 object: 0 errors, 0 warnings\n"}},
		"changed since": {
			args: []string{"--before", before}, stdin: record[:len(record)-len("v1}\n")] + "v2}\n",
			want: clitest.Result{
				Stdout: "standard input:4: error: GatiVersion users-v1: spec.version: Invalid value: \"v2\": is immutable once set; delete the record and create another [immutable]\n",
				Stderr: "1 object: 1 error, 0 warnings\n", Code: exit.Unhealthy,
			},
		},
		"nothing of ours": {
			stdin: "apiVersion: v1\nkind: ConfigMap\n",
			want:  clitest.Result{Stderr: "error: no GatiHandler, GatiModule or GatiVersion found in -\n", Code: exit.Error},
		},
		"no YAML": {
			stdin: "a: [",
			want: clitest.Result{
				Stdout: "standard input:1: error: yaml: line 1: did not find expected node content [syntax]\n",
				Stderr: "1 object: 1 error, 0 warnings\n", Code: exit.Unhealthy,
			},
		},
		"an error of the stream": {
			stdin: "--- {}\n" + handler,
			want: clitest.Result{
				Stdout: "error: standard input: line 1: invalid Yaml document separator: {} [syntax]\n",
				Stderr: "0 objects: 1 error, 0 warnings\n", Code: exit.Unhealthy,
			},
		},
		"a key twice, in the second of a list": {
			stdin: "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n- apiVersion: gati.dev/v1\n  kind: GatiHandler\n  metadata: {name: users}\n  spec:\n    path: /a\n    image: app:v1\n    path: /b\n",
			want: clitest.Result{
				Stdout: "standard input:12: warning: GatiHandler users: spec.path: is written before; kubectl takes this value, and the one before is lost: remove one [duplicate]\n",
				Stderr: "1 object: 0 errors, 1 warning\n",
			},
		},
		"a generated name that is too long": {
			stdin: strings.Replace(handler, "name: users", "generateName: "+strings.Repeat("a", 39), 1),
			want: clitest.Result{
				Stdout: "standard input:3: error: GatiHandler " + strings.Repeat("a", 39) + "xxxxx: metadata.name: Invalid value: \"" + strings.Repeat("a", 39) + "xxxxx\": metadata.name must start with a letter, hold only a-z, 0-9 and single hyphens, and have at most 40 characters: the names of the children are made of it [name]\n",
				Stderr: "1 object: 1 error, 0 warnings\n", Code: exit.Unhealthy,
			},
		},
		"both read standard input": {args: []string{"--before", "-"}, stdin: handler, want: clitest.Result{Stderr: "error: standard input can be read once: -f or --before may be -, not both\n", Code: exit.Usage}},
		"a name":                   {args: []string{"-o", "name"}, stdin: handler, want: clitest.Result{Stderr: "error: findings have no names; the formats are json, yaml and their templates\n", Code: exit.Usage}},
		"no such":                  {args: []string{"--before", "/nowhere"}, stdin: handler, want: clitest.Result{Stderr: "error: --before: the path \"/nowhere\" does not exist\n", Code: exit.Error}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := clitest.Run(t.Context(), tc.stdin, append([]string{"lint", "-f", "-"}, tc.args...)...)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want,+got):\n%s", diff)
			}
		})
	}
}
