package rollout_test

import (
	"fmt"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// What a rollback in the middle of a canary would do.
func ExampleEffect() {
	handler := builders.MakeHandler("users").Version("v2").Image("users:v2").Gateway("web").Obj()
	handler.Spec.Rollout = &v1.Rollout{Strategy: v1.StrategyCanary}
	handler.Status.Versions = []v1.VersionStatus{
		{Version: "v1", Sequence: 1, RevisionNumber: 1, Workload: "v1", Phase: v1.VersionActive, Weight: 90},
		{Version: "v2", Sequence: 2, RevisionNumber: 1, Workload: "v2", Phase: v1.VersionActive, Weight: 10},
	}
	handler.Status.Rollout = &v1.RolloutStatus{
		Phase: v1.RolloutProgressing, Mode: v1.RolloutSteps, Step: 1,
		Declared: &v1.UnitRef{Version: "v2", RevisionNumber: 1, Workload: "v2"},
		Stable:   &v1.UnitRef{Version: "v1", RevisionNumber: 1, Workload: "v1"},
		Target:   &v1.UnitRef{Version: "v2", RevisionNumber: 1, Workload: "v2"},
	}
	in := rollout.InputFor(handler, nil, time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC))
	out := rollout.Effect(in, rollout.Request{Request: request.Request{Verb: request.Rollback}, By: "jane"})
	fmt.Printf("refused %q\n", out.Refused)
	for _, change := range out.Weights {
		fmt.Println(change.Unit.Version, change.From, "->", change.To)
	}
	// Output:
	// refused ""
	// v1 90 -> 100
	// v2 10 -> 0
}
