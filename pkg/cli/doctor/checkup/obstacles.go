package checkup

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/remedy"
)

func checkObstacles(f *Facts) []Finding {
	var found []Finding
	for i := range f.Handlers.Value {
		h := &f.Handlers.Value[i]
		found = append(found, findObstacle("gh/"+h.Name+" -n "+h.Namespace, h.Status.Conditions)...)
	}
	for i := range f.Modules.Value {
		m := &f.Modules.Value[i]
		found = append(found, findObstacle("gm/"+m.Name+" -n "+m.Namespace, m.Status.Conditions)...)
	}
	return found
}

// findObstacle returns what others have done to a child, as the condition of its owner has it.
func findObstacle(object string, conditions []metav1.Condition) []Finding {
	c := meta.FindStatusCondition(conditions, v1.ConditionStalled)
	if c == nil || c.Status != metav1.ConditionTrue || c.Reason != string(v1.ReasonObstructed) && c.Reason != string(v1.ReasonContested) {
		return nil
	}
	message, hint, _ := strings.Cut(strings.TrimSuffix(c.Message, "."), "; ")
	found := newProblem(object, message, hint)
	if command := remedy.Find(hint, remedy.Unblocking...); command != "" {
		found.Fix = []string{command}
	}
	return []Finding{found}
}
