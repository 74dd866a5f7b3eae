package expand_test

import (
	"fmt"

	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
)

// The plan of a handler with one version.
func ExampleHandlerAlone() {
	handler := builders.MakeHandler("users").Image("registry.example/users:v1").Obj()
	resolved, _ := defaulting.ResolveHandler(&handler.Spec, facts.Facts{})
	inputs := expand.HandlerInputs(&handler.Spec, facts.Facts{})
	revision := expand.NewHandlerRevision(handler, resolved, inputs, 1, nil)
	for _, child := range expand.HandlerAlone(handler, resolved, revision, nil, nil).Objects {
		fmt.Println(child.GetObjectKind().GroupVersionKind().Kind, child.GetName())
	}
	// Output:
	// ConfigMap handler-users-bd2f24f1
	// Deployment handler-users
	// Service handler-users
}
