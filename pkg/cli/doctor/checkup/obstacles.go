package checkup

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/diagnose"
)

func checkObstacles(f *Facts) []Finding {
	var found []Finding
	for i := range f.Handlers.Value {
		h := &f.Handlers.Value[i]
		found = append(found, findObstacle("gh/"+h.Name, h.Namespace, h.Status.Conditions, h.Status.Children)...)
	}
	for i := range f.Modules.Value {
		m := &f.Modules.Value[i]
		found = append(found, findObstacle("gm/"+m.Name, m.Namespace, m.Status.Conditions, m.Status.Children)...)
	}
	return found
}

// findObstacle returns what others have done to a child, as the condition of its owner has it.
func findObstacle(owner, namespace string, conditions []metav1.Condition, children []v1.ChildStatus) []Finding {
	c := meta.FindStatusCondition(conditions, v1.ConditionStalled)
	if c == nil || c.Status != metav1.ConditionTrue || c.Reason != string(v1.ReasonObstructed) && c.Reason != string(v1.ReasonContested) {
		return nil
	}
	message, hint, _ := strings.Cut(strings.TrimSuffix(c.Message, "."), "; ")
	found := newProblem(owner+" -n "+namespace, message, hint)
	for _, child := range children {
		_, removal, _ := strings.Cut(child.Message, "; ")
		// The status may be another's words: the command is made of the owner's namespace and a name.
		if fix := diagnose.FixFor(removal, namespace, child.Name); fix != "" && len(validation.IsDNS1123Subdomain(child.Name)) == 0 {
			found.Fix = append(found.Fix, fix)
		}
	}
	return []Finding{found}
}
