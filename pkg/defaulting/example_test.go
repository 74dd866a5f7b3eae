package defaulting_test

import (
	"fmt"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/facts"
)

// The image comes from the namespace, and the version from the image's tag.
func ExampleResolveHandler() {
	spec := &v1.GatiHandlerSpec{Path: "/users"}
	resolved, errs := defaulting.ResolveHandler(spec, facts.Facts{Namespace: "shop", NamespaceImage: "registry.example/users:v1.2.0"})
	fmt.Println(errs.ToAggregate())
	fmt.Println(resolved.Version, resolved.Image)
	fmt.Println(*resolved.Spec.Port, resolved.Spec.Rollout.Strategy)
	// Output:
	// <nil>
	// v1.2.0 registry.example/users:v1.2.0
	// 3000 RollingUpdate
}
