package status

import (
	"cmp"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
)

// Age returns the time from a moment to the snapshot as kubectl writes it: 42s, 5m,
// 3d.
func (s *Snapshot) Age(t metav1.Time) string {
	if t.IsZero() {
		return "-"
	}
	return duration.HumanDuration(max(0, s.Time.Sub(t.Time)))
}

// describeReadiness returns how many pods are ready.
func describeReadiness(has, wants int32) string {
	switch {
	case wants == 0 && has == 0:
		return "no pods wanted"
	case wants == 1:
		return fmt.Sprintf("%d of 1 pod is ready", has)
	default:
		return fmt.Sprintf("%d of %d pods are ready", has, wants)
	}
}

// messageOrReason returns the message, or the reason where there is none.
func (c *Condition) messageOrReason() string {
	return cmp.Or(c.Message, c.Reason, fmt.Sprintf("%s is %s", c.Type, c.Status))
}
