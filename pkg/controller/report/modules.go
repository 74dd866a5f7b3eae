package report

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// Reasons of the condition ModulesFound.
const (
	ReasonFound   = "Found"
	ReasonMissing = "Missing"
)

// Modules writes the condition ModulesFound. A handler without modules has none.
func Modules(conditions *[]metav1.Condition, named []v1.ObjectName, missing []string, generation int64, now time.Time) {
	if len(named) == 0 {
		meta.RemoveStatusCondition(conditions, v1.ConditionModulesFound)
		return
	}
	c := metav1.Condition{
		Type: v1.ConditionModulesFound, Status: metav1.ConditionTrue, Reason: ReasonFound,
		ObservedGeneration: generation, LastTransitionTime: metav1.NewTime(now),
	}
	if len(missing) > 0 {
		c.Status, c.Reason = metav1.ConditionFalse, ReasonMissing
		c.Message = fmt.Sprintf("spec.modules: this namespace has no GatiModule %s; apply it, or remove it from spec.modules.", strings.Join(missing, ", "))
	}
	meta.SetStatusCondition(conditions, c)
}
