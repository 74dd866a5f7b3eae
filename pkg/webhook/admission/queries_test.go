package admission_test

import (
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/validation"
	hooks "gati.dev/gati/pkg/webhook/admission"
)

// A query of a user's is refused where the operator allows none, unless it was there
// before that.
func TestQueries(t *testing.T) {
	asking := func(promQL ...string) *v1.GatiHandler {
		return builders.MakeHandler("users").Path("/users").Image("app:v1").Spec(func(s *v1.GatiHandlerSpec) {
			a := &v1.Analysis{Metrics: []v1.AnalysisMetric{{SuccessRate: &v1.SuccessRate{Min: "99"}}}}
			for _, q := range promQL {
				a.Metrics = append(a.Metrics, v1.AnalysisMetric{Query: &v1.AnalysisQuery{Name: q, PromQL: q, Max: "1"}})
			}
			s.Rollout = &v1.Rollout{Strategy: v1.StrategyCanary, Analysis: a}
		}).Obj()
	}
	tests := map[string]struct {
		now, before *v1.GatiHandler
		allowed     bool
		want        string // the field of the fault; empty is admitted
	}{
		"none":                     {now: asking()},
		"one":                      {now: asking("up"), want: "spec.rollout.analysis.metrics[1].query"},
		"one, and they may":        {now: asking("up"), allowed: true},
		"one that was there":       {now: asking("up"), before: asking("down", "up")},
		"another beside it":        {now: asking("up", "down"), before: asking("up"), want: "spec.rollout.analysis.metrics[2].query"},
		"another in its place":     {now: asking("down"), before: asking("up"), want: "spec.rollout.analysis.metrics[1].query"},
		"the last one taken away":  {now: asking(), before: asking("up")},
		"one where there was none": {now: asking("up"), before: asking(), want: "spec.rollout.analysis.metrics[1].query"},
	}
	reader := fake.NewClientBuilder().WithScheme(scheme(t)).Build()
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var before client.Object
			if tc.before != nil {
				before = tc.before
				// What has another spec is looked at.
				three := int32(3)
				tc.now.Spec.Replicas = &three
			}
			got := (&hooks.Validator{Facts: knows, Queries: tc.allowed, Live: reader}).Handle(t.Context(), request(t, tc.now, before))
			if tc.want == "" {
				if !got.Allowed {
					t.Errorf("refused: %s", got.Result.Message)
				}
				return
			}
			if got.Allowed || !strings.Contains(got.Result.Message, tc.want+": Forbidden: "+validation.QueriesNotAllowed) {
				t.Errorf("allowed %v: %v", got.Allowed, got.Result)
			}
		})
	}
}
