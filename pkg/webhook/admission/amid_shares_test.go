package admission_test

import (
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	hooks "gati.dev/gati/pkg/webhook/admission"
)

// TestSharesThatMoveNothing holds that a share is refused, with the reason and a remedy,
// where the controller would leave the weights as they are.
func TestSharesThatMoveNothing(t *testing.T) {
	v1Ref := v1.UnitRef{Version: "v1", RevisionNumber: 1, Workload: "main"}
	pin := func(s *v1.GatiHandlerStatus) {
		s.Rollout.Pinned = &v1.PinnedStatus{UnitRef: v1Ref, Deed: v1.Deed{By: "jane"}}
	}
	const pinned = "the rollback to v1 by jane keeps all traffic there; end it first: kubectl gati rollout retry users"
	record := func() *builders.Version {
		return builders.MakeVersion("users-v2").Namespace("default").Handler("users").Version("v2")
	}
	tests := map[string]struct {
		strategy v1.Strategy
		status   func(*v1.GatiHandlerStatus)
		obj, old *builders.Version
		want     string
	}{
		"free":                      {obj: record().Traffic(10), old: record()},
		"pinned":                    {status: pin, obj: record().Traffic(10), old: record(), want: pinned},
		"pinned, another share":     {status: pin, obj: record().Traffic(10), old: record().Traffic(5), want: pinned},
		"pinned, the same share":    {status: pin, obj: record().Traffic(10).Keep(true), old: record().Traffic(10)},
		"pinned, none any more":     {status: pin, obj: record().Traffic(0), old: record().Traffic(10)},
		"pinned, created":           {status: pin, obj: record().Traffic(10)},
		"pinned, of another spec":   {status: func(s *v1.GatiHandlerStatus) { pin(s); s.ObservedGeneration = 1 }, obj: record().Traffic(10), old: record()},
		"pinned, under Canary":      {strategy: v1.StrategyCanary, status: pin, obj: record().Traffic(10), old: record()},
		"never admitted":            {status: func(s *v1.GatiHandlerStatus) { s.Versions = s.Versions[:1] }, obj: record().Traffic(10), old: record()},
		"held, and covered by this": {status: func(s *v1.GatiHandlerStatus) { s.Versions[1].Held = "it breaks callers of v1" }, obj: record().Traffic(10), old: record()},
		"decommissioned": {status: func(s *v1.GatiHandlerStatus) {
			s.Versions[1].Phase, s.Versions[1].Workload = v1.VersionDecommissioned, ""
		}, obj: record().Traffic(10), old: record(), want: "v2 is decommissioned and has no pods; declare it again, or return to it: kubectl gati rollout rollback users --to v2"},
		"rejected": {status: func(s *v1.GatiHandlerStatus) {
			s.Rollout.Rejected = []v1.RejectedStatus{{UnitRef: v1.UnitRef{Version: "v2", RevisionNumber: 1}, Reason: "its containers restarted 3 times"}}
		}, obj: record().Traffic(10), old: record(), want: "v2 was rejected: its containers restarted 3 times; try it again first: kubectl gati rollout retry users"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			strategy := v1.StrategyManual
			if tc.strategy != "" {
				strategy = tc.strategy
			}
			h := builders.MakeHandler("users").Namespace("default").Image("app:v2").Strategy(strategy).Status(func(s *v1.GatiHandlerStatus) {
				s.ObservedGeneration = 2
				s.Rollout = &v1.RolloutStatus{Phase: v1.RolloutStable, Stable: &v1Ref}
				s.Versions = []v1.VersionStatus{
					{Version: "v1", RevisionNumber: 1, Sequence: 1, Workload: "main", Phase: v1.VersionActive, Weight: 100},
					{Version: "v2", RevisionNumber: 1, Sequence: 2, Workload: "v2", Phase: v1.VersionActive},
				}
				if tc.status != nil {
					tc.status(s)
				}
			}).Obj()
			h.Generation = 2
			live := fake.NewClientBuilder().WithScheme(scheme(t)).WithObjects(h).Build()
			var old client.Object
			if tc.old != nil {
				old = tc.old.Obj()
			}
			got := (&hooks.Validator{Facts: knows, Live: live}).Handle(t.Context(), request(t, tc.obj.Obj(), old))
			said := ""
			if got.Result != nil {
				said = got.Result.Message
			}
			if got.Allowed != (tc.want == "") || !strings.Contains(said, tc.want) {
				t.Errorf("allowed %v: %s, want %q", got.Allowed, said, tc.want)
			}
		})
	}
}
