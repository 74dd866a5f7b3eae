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

// TestFixesAreForTheirOwnChildren holds that a fix is made for the child that has the obstacle, in
// the namespace of its owner, and that a status with other words gets none.
func TestFixesAreForTheirOwnChildren(t *testing.T) {
	const why = "Deployment is paused, so it makes no new pods; resume it: kubectl -n "
	for name, tc := range map[string]struct {
		child v1.ChildStatus
		want  []string
	}{
		"its own": {
			v1.ChildStatus{Name: "handler-a", Message: why + "shop rollout resume deployment handler-a"},
			[]string{"kubectl -n shop rollout resume deployment handler-a"},
		},
		"another namespace":   {v1.ChildStatus{Name: "handler-a", Message: why + "kube-system rollout resume deployment handler-a"}, nil},
		"another child":       {v1.ChildStatus{Name: "handler-a", Message: why + "shop rollout resume deployment handler-b"}, nil},
		"arguments as a name": {v1.ChildStatus{Name: "a --as=admin", Message: why + "shop rollout resume deployment a --as=admin"}, nil},
		"a remedy that takes away": {
			v1.ChildStatus{Name: "handler-a", Message: "It shares its pods; delete the other one: kubectl -n shop delete hpa handler-a"}, nil,
		},
	} {
		f := healthy()
		stalled := []metav1.Condition{{Type: v1.ConditionStalled, Status: metav1.ConditionTrue, Reason: string(v1.ReasonObstructed), Message: tc.child.Message + "."}}
		f.Handlers.Value = []v1.GatiHandler{{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "a"},
			Status:     v1.GatiHandlerStatus{Conditions: stalled, Children: []v1.ChildStatus{tc.child}},
		}}
		for _, finding := range checkup.After(f) {
			if finding.Check == "obstacles" && !slices.Equal(finding.Fix, tc.want) {
				t.Errorf("%s: the fix is %q, want %q", name, finding.Fix, tc.want)
			}
		}
	}
}
