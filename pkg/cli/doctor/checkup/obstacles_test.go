package checkup_test

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/doctor/checkup"
)

// TestObstaclesNameTheirNamespace holds that a finding says where its object is, also when all
// namespaces are looked at.
func TestObstaclesNameTheirNamespace(t *testing.T) {
	stalled := []metav1.Condition{{Type: v1.ConditionStalled, Status: metav1.ConditionTrue, Reason: string(v1.ReasonObstructed), Message: "It is paused; resume it."}}
	f := healthy()
	f.Namespace = ""
	f.Handlers.Value = []v1.GatiHandler{{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "a"}, Status: v1.GatiHandlerStatus{Conditions: stalled}}}
	f.Modules.Value = []v1.GatiModule{{ObjectMeta: metav1.ObjectMeta{Namespace: "stock", Name: "b"}, Status: v1.GatiModuleStatus{Conditions: stalled}}}
	var got []string
	for _, finding := range checkup.After(f) {
		if finding.Check == "obstacles" {
			got = append(got, finding.Object)
		}
	}
	if want := []string{"gh/a -n shop", "gm/b -n stock"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
