package admission_test

import (
	"context"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/compat"
	hooks "gati.dev/gati/pkg/webhook/admission"
)

// An API server that is busy answers the reads of its hooks late too, so an admission asks
// it for nothing that leads to a warning only, where the watches have seen it, and for
// nothing that cannot matter.
func TestWhatTheWatchesHaveSeenIsNotAskedFor(t *testing.T) {
	h := builders.MakeHandler("users").Path("/users").Image("app:v1").Obj()
	m := builders.MakeModule("db").Obj()
	speaking := builders.MakeVersion("users-v2").Label(v1.LabelHandler, "users").Breaking(true).Obj()
	tests := map[string]struct {
		applied client.Object
		seen    []client.Object
		asks    bool
	}{
		"a module that is there":              {builders.MakeHandler("a").Path("/a").Image("app:v1").Modules("db").Obj(), []client.Object{m}, false},
		"a module that is not":                {builders.MakeHandler("a").Path("/a").Image("app:v1").Modules("db").Obj(), nil, true},
		"traffic, without schemas":            {builders.MakeVersion("users-v1").Handler("users").Version("v1").Traffic(10).Obj(), []client.Object{h}, true},
		"traffic beside a version with words": {builders.MakeVersion("users-v1").Handler("users").Version("v1").Traffic(10).Obj(), []client.Object{h, speaking}, true},
		"traffic of a handler not seen":       {builders.MakeVersion("users-v1").Handler("users").Version("v1").Traffic(10).Obj(), nil, true},
		"a record that keeps":                 {builders.MakeVersion("users-v1").Handler("users").Version("v1").Keep(true).Obj(), []client.Object{h}, false},
		"a handler without versions":          {builders.MakeHandler("a").Path("/a").Image("app:v1").Obj(), []client.Object{h}, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			asked := 0
			live := interceptor.NewClient(fake.NewClientBuilder().WithScheme(scheme(t)).WithObjects(tc.seen...).Build(), interceptor.Funcs{
				Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
					asked++
					return c.Get(ctx, key, o, opts...)
				},
				List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
					asked++
					return c.List(ctx, list, opts...)
				},
			})
			cache := fake.NewClientBuilder().WithScheme(scheme(t)).WithObjects(tc.seen...).Build()
			hook := &hooks.Validator{Facts: knows, Judge: &compat.Judge{}, Cache: cache, Live: live}
			if got := hook.Handle(t.Context(), request(t, tc.applied, nil)); !got.Allowed {
				t.Fatalf("refused: %v", got.Result)
			}
			if (asked > 0) != tc.asks {
				t.Errorf("asked %d times, want any: %v", asked, tc.asks)
			}
		})
	}
}
