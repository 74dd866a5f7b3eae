package status

import (
	"cmp"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
)

// Age returns the time from a moment to the snapshot.
func (s *Snapshot) Age(t metav1.Time) string { return Age(t, s.Time.Time) }

// Age returns the time between two moments as kubectl writes it: 42s, 5m, 3d.
func Age(t metav1.Time, now time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return duration.HumanDuration(max(0, now.Sub(t.Time)))
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
