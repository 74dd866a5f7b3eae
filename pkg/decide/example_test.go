package decide_test

import (
	"fmt"
	"time"

	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/facts"
)

// The first decision about a new handler: one version with all of the traffic.
func ExamplePlan() {
	story := &decide.Story{Handler: builders.MakeHandler("users").Version("v1").Image("registry.example/users:v1").Obj()}
	story.Result, story.Resolved = admit.Handler(story.Handler, nil, facts.Facts{})
	planned, err := decide.Plan(story, &compat.Judge{}, time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC))
	fmt.Println(err, planned.Errors.ToAggregate())
	for _, w := range planned.Decision.Workloads {
		fmt.Println(w.Workload, w.Unit.Version, w.Weight)
	}
	for _, child := range planned.Children {
		fmt.Println(child.GetObjectKind().GroupVersionKind().Kind, child.GetName())
	}
	// Output:
	// <nil> <nil>
	// main v1 100
	// ConfigMap handler-users-bd2f24f1
	// Deployment handler-users
	// Service handler-users
}
