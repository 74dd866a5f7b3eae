package status

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/printable"
)

// conditionOrder puts the most asked for first; other types follow by name.
var conditionOrder = []string{
	v1.ConditionReady, v1.ConditionStalled, v1.ConditionReconciling, v1.ConditionValid, v1.ConditionAccepted,
}

func viewConditions(list []metav1.Condition, generation int64) []Condition {
	out := make([]Condition, 0, len(list))
	for _, c := range list {
		out = append(out, Condition{
			Type:    c.Type,
			Status:  c.Status,
			Reason:  c.Reason,
			Message: printable.OneLine(c.Message),
			Since:   c.LastTransitionTime,
			Stale:   c.ObservedGeneration < generation,
		})
	}
	slices.SortFunc(out, func(a, b Condition) int {
		return cmp.Or(cmp.Compare(rankCondition(a.Type), rankCondition(b.Type)), cmp.Compare(a.Type, b.Type))
	})
	return out
}

func rankCondition(kind string) int {
	if i := slices.Index(conditionOrder, kind); i >= 0 {
		return i
	}
	return len(conditionOrder)
}
