package admission_test

import (
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	hooks "gati.dev/gati/pkg/webhook/admission"
)

// A record is judged by what others have: the last share that a route has room for,
// and whether its version is the one that serves.
func TestAmid(t *testing.T) {
	const crowded, serves = "shares the traffic among 16 versions at most, and v1, v10,", "promote another version first"
	record := func(n int) *builders.Version {
		return builders.MakeVersion(fmt.Sprintf("users-v%d", n)).Namespace("default").Handler("users").Version(fmt.Sprintf("v%d", n))
	}
	tests := map[string]struct {
		shares   int
		strategy v1.Strategy
		plain    bool
		obj, old *builders.Version
		want     string
	}{
		"the sixteenth share":                   {shares: 15, obj: record(20).Traffic(1), old: record(20)},
		"the seventeenth":                       {shares: 16, obj: record(20).Traffic(1), old: record(20), want: crowded},
		"the seventeenth, created":              {shares: 16, obj: record(20).Traffic(1), want: crowded},
		"the seventeenth, from 0":               {shares: 16, obj: record(20).Traffic(1), old: record(20).Traffic(0), want: crowded},
		"another share of one that has one":     {shares: 16, obj: record(16).Traffic(2), old: record(16).Traffic(1)},
		"no share any more":                     {shares: 17, obj: record(17).Traffic(0), old: record(17).Traffic(1)},
		"where records move no traffic":         {shares: 16, strategy: v1.StrategyCanary, obj: record(20).Traffic(1), old: record(20)},
		"where pods are the traffic":            {shares: 16, plain: true, obj: record(20).Traffic(1), old: record(20)},
		"the stable version is taken out":       {obj: record(1).Active(false), old: record(1), want: serves},
		"it had been already":                   {obj: record(1).Active(false).Keep(true), old: record(1).Active(false)},
		"another version is":                    {obj: record(2).Active(false), old: record(2)},
		"a record of no version, not bound yet": {obj: builders.MakeVersion("users-x").Namespace("default").Active(false)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			strategy := v1.StrategyManual
			if tc.strategy != "" {
				strategy = tc.strategy
			}
			h := builders.MakeHandler("users").Namespace("default").Image("app:v20").Strategy(strategy).Status(func(s *v1.GatiHandlerStatus) {
				s.Rollout = &v1.RolloutStatus{Stable: &v1.UnitRef{Version: "v1", RevisionNumber: 1}}
				for n := 1; n <= 20; n++ {
					s.Versions = append(s.Versions, v1.VersionStatus{Version: fmt.Sprintf("v%d", n), RevisionNumber: 1, Workload: fmt.Sprintf("v%d", n), Phase: v1.VersionActive})
				}
			})
			if !tc.plain {
				h.Gateway("web")
			}
			// Of what is over, and of another handler, nothing is counted.
			there := []client.Object{
				h.Obj(), builders.MakeVersion("users-v0").Namespace("default").Handler("users").Version("v0").Traffic(9).Obj(),
				builders.MakeVersion("orders-v1").Namespace("default").Handler("orders").Version("v1").Traffic(9).Obj(),
			}
			for n := 1; n <= tc.shares; n++ {
				there = append(there, record(n).Traffic(1).Obj())
			}
			live := fake.NewClientBuilder().WithScheme(scheme(t)).WithObjects(there...).Build()
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
				t.Errorf("allowed %v: %s", got.Allowed, said)
			}
		})
	}
}
