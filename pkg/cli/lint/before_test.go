package lint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/pkg/cli/exit"
)

// A schema that breaks the callers of the version declared before is found, as an apply
// refuses it. pkg/admit has what breaks, and what covers it.
func TestBreakingSchemaSinceBefore(t *testing.T) {
	t.Setenv("KUBECONFIG", os.DevNull)
	manifest := func(version, required, rest string) string {
		return "apiVersion: gati.dev/v1\nkind: GatiHandler\nmetadata: {name: users}\nspec:\n  path: /users\n  image: app:" + version +
			"\n  schema: {input: {type: object, required: [" + required + "]}}\n" + rest
	}
	const canary = "  rollout: {strategy: Canary}\n  route: {parentRefs: [{name: web}]}\n"
	const record = "---\napiVersion: gati.dev/v1\nkind: GatiVersion\nmetadata: {name: users-v1}\nspec: {handler: users, version: v1, schema: {input: {type: object, required: [id]}}}\n"
	const transformers = "---\napiVersion: gati.dev/v1\nkind: GatiVersion\nmetadata: {name: users-v2}\nspec: {handler: users, version: v2, transformers: [{from: v1, to: v2, request: up, response: down}, {from: v2, to: v1, request: down, response: up}]}\n"
	inNamespace := func(version, required string) string {
		handler := strings.Replace(manifest(version, required, ""), "metadata: {name: users}", "metadata: {name: users, namespace: shop}", 1)
		return "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, annotations: {gati.dev/image: \"app:" + version + "\"}}\n---\n" +
			strings.Replace(handler, "  image: app:"+version+"\n", "", 1)
	}
	for name, tc := range map[string]struct {
		before, after string
		want          []string // parts of the output; none for nothing found
		wantCode      int
	}{
		"breaking":                 {before: manifest("v1", "", ""), after: manifest("v2", "id", ""), want: []string{"error: GatiHandler users: spec.schema", "v2", "breaks", "[schema]"}, wantCode: exit.Unhealthy},
		"breaking behind a header": {before: manifest("v1", "", canary), after: manifest("v2", "id", canary), want: []string{"warning: GatiHandler users: v2 breaks callers of v1", "[unusual]"}},
		"breaking what a record says": {before: strings.Replace(manifest("v1", "id", ""), "  schema: {input: {type: object, required: [id]}}\n", "", 1) + record, after: manifest("v2", "id, name", ""),
			want: []string{"error: GatiHandler users: spec.schema"}, wantCode: exit.Unhealthy},
		"a new image of the namespace":                    {before: inNamespace("v1", "id, name"), after: inNamespace("v2", "id")},
		"a breaking image of the namespace":               {before: inNamespace("v1", ""), after: inNamespace("v2", "id"), want: []string{"spec.schema", "v2", "breaks"}, wantCode: exit.Unhealthy},
		"another schema under the image of the namespace": {before: inNamespace("v1", ""), after: inNamespace("v1", "id"), want: []string{"a version keeps its schema"}, wantCode: exit.Unhealthy},
		"covered by transformers":                         {before: manifest("v1", "", ""), after: manifest("v2", "id", "") + transformers},
	} {
		t.Run(name, func(t *testing.T) {
			before := filepath.Join(t.TempDir(), "before.yaml")
			if err := os.WriteFile(before, []byte(tc.before), 0o600); err != nil {
				t.Fatal(err)
			}
			got := clitest.Run(t.Context(), tc.after, "lint", "-f", "-", "--before", before)
			if got.Code != tc.wantCode || (got.Stdout == "") != (len(tc.want) == 0) {
				t.Errorf("got %+v", got)
			}
			for _, part := range tc.want {
				if !strings.Contains(got.Stdout, part) {
					t.Errorf("%q is not in %s", part, got.Stdout)
				}
			}
		})
	}
}
