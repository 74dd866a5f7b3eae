package report

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// Reasons of the condition Compatible.
const (
	ReasonCompatible   = "Compatible"
	ReasonCovered      = "Covered"
	ReasonBreaking     = "Breaking"
	ReasonOverridden   = "Overridden"
	ReasonTransformers = "Transformers"
)

// Compatibility is the verdict on a version and the callers before it.
type Compatibility struct {
	Holds           bool
	Reason, Message string
}

// Compatible writes the condition of that name. Where nothing is known, because
// there are no schemas, there is none.
func Compatible(conditions *[]metav1.Condition, c *Compatibility, generation int64, now time.Time) {
	if c == nil {
		meta.RemoveStatusCondition(conditions, v1.ConditionCompatible)
		return
	}
	status := metav1.ConditionFalse
	if c.Holds {
		status = metav1.ConditionTrue
	}
	meta.SetStatusCondition(conditions, metav1.Condition{
		Type: v1.ConditionCompatible, Status: status, Reason: c.Reason, Message: c.Message,
		ObservedGeneration: generation, LastTransitionTime: metav1.NewTime(now),
	})
}
