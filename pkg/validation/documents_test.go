package validation

import (
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// TestTheExampleOfAnAnalysis holds that the example of docs/analysis.md is accepted as it is,
// without a warning.
func TestTheExampleOfAnAnalysis(t *testing.T) {
	text, err := os.ReadFile("../../docs/analysis.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "```yaml\n")
	example, _, _ := strings.Cut(after, "```")
	var spec struct {
		Rollout *v1.Rollout `json:"rollout"`
	}
	if err := yaml.UnmarshalStrict([]byte(example), &spec); err != nil || !found || spec.Rollout == nil {
		t.Fatalf("%v in\n%s", err, example)
	}
	spec.Rollout.SetDefaults()
	spec.Rollout.Steps = []v1.RolloutStep{{Weight: 10, Pause: "5m"}}
	h := builders.MakeHandler("a").Image("i:v1").Spec(func(s *v1.GatiHandlerSpec) { s.Rollout = spec.Rollout }).Obj()
	errs, warnings := validateAnalysis(field.NewPath("analysis"), h.Spec.Rollout.Analysis), WarnHandler(h)
	if len(errs) > 0 || len(warnings) > 0 {
		t.Errorf("%v %v", errs, warnings)
	}
}
