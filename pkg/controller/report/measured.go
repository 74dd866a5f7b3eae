package report

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// Reasons of the condition Measured.
const (
	ReasonMeasured = "Measured"
	ReasonSilent   = "SourceSilent"
)

// Measured writes the condition Measured: whether the traffic that a decision depends on is
// known. unknown are sentences about missing data. Where no decision depends on traffic,
// there is no condition.
func Measured(conditions *[]metav1.Condition, matters bool, unknown []string, generation int64, now time.Time) {
	if !matters {
		meta.RemoveStatusCondition(conditions, v1.ConditionMeasured)
		return
	}
	c := metav1.Condition{
		Type: v1.ConditionMeasured, Status: metav1.ConditionTrue, Reason: ReasonMeasured, Message: "The traffic that decisions depend on is measured.",
		ObservedGeneration: generation, LastTransitionTime: metav1.NewTime(now),
	}
	if len(unknown) > 0 {
		c.Status, c.Reason = metav1.ConditionFalse, ReasonSilent
		c.Message = strings.Join(unknown, " ") + " Missing data is not zero, so no version is removed."
	}
	meta.SetStatusCondition(conditions, c)
}
