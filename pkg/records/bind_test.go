package records_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/records"
)

func TestBind(t *testing.T) {
	handlers := []records.Handler{
		{Name: "users", Declared: "v2", Versions: []string{"v1", "v2"}},
		{Name: "users-api", Declared: "v9", Versions: []string{"v9"}},
		{Name: "new"},
	}
	bound := func(b *builders.Version, handler, version string) *v1.GatiVersion {
		return b.Bound(handler, version).Obj()
	}
	annotated := func(b *builders.Version, handler, version string) *v1.GatiVersion {
		v := b.Label(v1.LabelHandler, handler).Obj()
		v.Annotations = map[string]string{v1.AnnotationVersion: version}
		return v
	}
	deployment := func(name, deployment string) *v1.GatiVersion {
		return builders.MakeVersion(name).Version("v1").Spec(func(s *v1.GatiVersionSpec) { s.DeploymentName = deployment }).Obj()
	}
	tests := map[string]struct {
		record *v1.GatiVersion

		want        records.Binding
		wantProblem string
	}{
		"by spec.handler":                  {builders.MakeVersion("x").Handler("users").Version("v1").Obj(), records.Binding{Handler: "users", Version: "v1"}, ""},
		"by spec.handler, over the name":   {builders.MakeVersion("users-api-v1").Handler("users").Version("v1").Obj(), records.Binding{Handler: "users", Version: "v1"}, ""},
		"by label":                         {builders.MakeVersion("x").Label(v1.LabelHandler, "users").Version("v1").Obj(), records.Binding{Handler: "users", Version: "v1"}, ""},
		"by deploymentName":                {deployment("x", "handler-users-api"), records.Binding{Handler: "users-api", Version: "v1"}, ""},
		"by deploymentName of a version":   {deployment("x", "handler-users--v1"), records.Binding{Handler: "users", Version: "v1"}, ""},
		"by name, the longest that has it": {builders.MakeVersion("users-api-v9").Version("v9").Obj(), records.Binding{Handler: "users-api", Version: "v9"}, ""},
		"by name, the longest has it not":  {builders.MakeVersion("users-api-v1").Version("v1").Obj(), records.Binding{Handler: "users", Version: "v1"}, ""},
		"by name, no version":              {builders.MakeVersion("users-api-now").Obj(), records.Binding{Handler: "users-api", Version: "v9"}, ""},
		"no version, what is declared":     {builders.MakeVersion("x").Handler("users").Obj(), records.Binding{Handler: "users", Version: "v2"}, ""},
		"a version not declared yet":       {builders.MakeVersion("x").Handler("users").Version("v3").Obj(), records.Binding{Handler: "users", Version: "v3"}, ""},
		"a binding does not change":        {bound(builders.MakeVersion("users-api-v9"), "users", "v1"), records.Binding{Handler: "users", Version: "v1"}, ""},
		"the spec over a status":           {bound(builders.MakeVersion("x").Handler("users-api").Version("v9"), "users", "v1"), records.Binding{Handler: "users-api", Version: "v9"}, ""},
		"the spec over annotations":        {annotated(builders.MakeVersion("x").Handler("users").Version("v1"), "users-api", "v9"), records.Binding{Handler: "users", Version: "v1"}, ""},
		"a binding over annotations":       {annotated(builders.MakeVersion("x").Bound("users", "v1"), "users-api", "v9"), records.Binding{Handler: "users", Version: "v1"}, ""},
		"an annotation binds nothing":      {annotated(builders.MakeVersion("x"), "users", "v1"), records.Binding{Handler: "users", Version: "v2"}, ""},
		"a binding outlives the handler":   {bound(builders.MakeVersion("x"), "gone", "v1"), records.Binding{Handler: "gone", Version: "v1"}, ""},

		"no such handler": {builders.MakeVersion("x").Handler("none").Version("v1").Obj(), records.Binding{}, "there is no GatiHandler none in this namespace yet"},
		"nothing fits": {builders.MakeVersion("other-v1").Version("v1").Obj(), records.Binding{},
			"no handler of this namespace fits: set spec.handler, or name the record <handler>-<anything> after a handler that has the version"},
		"the name alone is no prefix":  {builders.MakeVersion("users").Version("v1").Obj(), records.Binding{}, "no handler of this namespace fits: set spec.handler, or name the record <handler>-<anything> after a handler that has the version"},
		"neither has declared a thing": {builders.MakeVersion("new-x").Obj(), records.Binding{}, "handler new declares no version yet, and the record names none"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for range 2 { // In either order of handlers.
				got, problem := records.Bind(tc.record, handlers)
				if diff := cmp.Diff(tc.want, got); diff != "" || problem != tc.wantProblem {
					t.Errorf("problem %q, want %q; (-want +got):\n%s", problem, tc.wantProblem, diff)
				}
				handlers = []records.Handler{handlers[2], handlers[1], handlers[0]}
			}
		})
	}
}

// A binding never changes, whatever handlers are created, deleted or changed.
func TestBindingIsImmutable(t *testing.T) {
	record := builders.MakeVersion("users-api-v1").Obj()
	first, _ := records.Bind(record, []records.Handler{{Name: "users", Declared: "v1"}})
	record.Status.Handler, record.Status.Version = first.Handler, first.Version
	for _, handlers := range [][]records.Handler{
		nil, {{Name: "users", Declared: "v2"}}, {{Name: "users-api", Declared: "v1"}, {Name: "users"}},
	} {
		if got, problem := records.Bind(record, handlers); got != first || problem != "" {
			t.Errorf("bound to %+v, then to %+v (%s) with %+v", first, got, problem, handlers)
		}
	}
}
