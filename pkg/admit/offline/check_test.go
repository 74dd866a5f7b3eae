package offline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/admit/crd"
	"gati.dev/gati/pkg/admit/offline"
	"gati.dev/gati/pkg/facts"
)

func schemas(t *testing.T) *crd.Schemas {
	t.Helper()
	out, err := crd.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Each document has the findings of an apply, each of them once, at the field as
// written.
func TestCheck(t *testing.T) {
	handler := func(spec string) string {
		return "apiVersion: gati.dev/v1\nkind: GatiHandler\nmetadata: {name: users}\nspec: {" + spec + "}\n"
	}
	stored := builders.MakeHandler("users").Path("/users").Image("app:v1").Port(0).Obj()
	tests := map[string]struct {
		text   string
		before client.Object
		want   []string // code, severity, field
	}{
		"valid":                        {text: handler("path: /users")},
		"another group":                {text: "apiVersion: v1\nkind: ConfigMap\n"},
		"no YAML":                      {text: "a: [", want: []string{"syntax error "}},
		"no object":                    {text: "a: b\n", want: []string{"no-object error "}},
		"a kind that is none":          {text: "apiVersion: gati.dev/v1\nkind: GatiThing\nmetadata: {name: a}\n", want: []string{"unknown-kind error kind"}},
		"an unknown field":             {text: handler("path: /users, replica: 2"), want: []string{"unknown-field error spec.replica"}},
		"no name":                      {text: strings.Replace(handler("path: /users"), "{name: users}", "{}", 1), want: []string{"name error metadata.name"}},
		"a required field":             {text: handler(""), want: []string{"required error spec.path"}},
		"another type":                 {text: handler("path: [a]"), want: []string{"type error spec.path"}},
		"a value of no list":           {text: handler("path: /users, rollout: {strategy: Sometimes}"), want: []string{"value error spec.rollout.strategy"}},
		"out of bounds":                {text: handler("path: /users, port: 0"), want: []string{"bounds error spec.port"}},
		"more values than are read":    {text: handler("path: /users, env: [" + strings.Repeat("{}, ", 2000) + "]"), want: []string{"bounds error spec.env"}},
		"a list beyond its bound":      {text: handler("path: 1, modules: [" + strings.Repeat("a, ", 1_001) + "]"), want: []string{"bounds error spec.modules"}},
		"many errors":                  {text: handler("path: /users, env: [" + strings.Repeat("{}, ", 30) + "]"), want: append(numbered("required error spec.env[%d].name", 30)[:admit.MaxErrors], "bounds error spec")},
		"many errors of a rule":        {text: handler("path: /users, env: [" + strings.Join(numbered("{name: =%d}", 30), ", ") + "]"), want: append(slices.Sorted(slices.Values(numbered("env error spec.env[%d].name", 30)))[:admit.MaxErrors], "env error spec")},
		"a rule of ours":               {text: handler("path: /users//x"), want: []string{"path error spec.path"}},
		"v1alpha1, in its own words":   {text: "apiVersion: gati.dev/v1alpha1\nkind: GatiHandler\nmetadata: {name: users}\nspec: {handlerPath: /users//x}\n", want: []string{"path error spec.handlerPath"}},
		"a schema that is none":        {text: handler(`path: /users, schema: {input: {type: strng}}`), want: []string{"schema error spec.schema.input.type"}},
		"stored before is let through": {text: handler("path: /users, port: 0, replicas: 2"), before: stored, want: []string{"bounds error spec.port", "unusual warning spec.port"}},
	}
	shipped := schemas(t)
	f := facts.Facts{Namespace: "default", NamespaceImage: "shop:v1", HTTPRouteServed: true}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			docs, err := admit.Split(strings.NewReader(tc.text), "f.yaml")
			if err != nil || len(docs) != 1 {
				t.Fatalf("%d documents, error %v", len(docs), err)
			}
			var got []string
			for _, found := range offline.Check(&docs[0], tc.before, shipped, admit.Surroundings{Facts: f}) {
				got = append(got, found.Code+" "+string(found.Severity)+" "+found.Field)
				if found.Message == "" {
					t.Errorf("%s has no message", found.Code)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// numbered returns a text for each of some numbers.
func numbered(format string, n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf(format, i))
	}
	return out
}

// A warning of the webhook is also a warning here.
func TestCheckOfWhatIsUnusual(t *testing.T) {
	docs, err := admit.Split(strings.NewReader("apiVersion: gati.dev/v1\nkind: GatiHandler\nmetadata: {name: users}\nspec: {path: /users, image: 'app:latest'}\n"), "f.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := admit.Check(docs[0].Object, nil, admit.Surroundings{Facts: facts.Facts{Namespace: "default"}}).Warnings
	got := offline.Check(&docs[0], nil, schemas(t), admit.Surroundings{Facts: facts.Facts{Namespace: "default"}})
	if len(got) != len(want) {
		t.Fatalf("findings %v, want the warnings %q", got, want)
	}
	for _, found := range got {
		if found.Severity != offline.Warning || found.Code != offline.CodeUnusual {
			t.Errorf("%+v is no warning", found)
		}
	}
}
