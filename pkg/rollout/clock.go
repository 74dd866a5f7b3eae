package rollout

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// clock has the time of one decision, and when to look again: whoever asks how much of a
// time is left is asked again when it is over.
type clock struct {
	now   time.Time
	after time.Duration
}

// stampNow is the time that is persisted: whole seconds, rounded up, so that what
// counts from it is never early.
func (c *clock) stampNow() *metav1.Time { return stamp(c.now) }

func stamp(at time.Time) *metav1.Time {
	return &metav1.Time{Time: at.Add(time.Second - 1).Truncate(time.Second)}
}

// elapsedSince is the time since a stamp, 0 when there is none.
func (c *clock) elapsedSince(since *metav1.Time) time.Duration {
	if since == nil {
		return 0
	}
	return max(0, c.now.Sub(since.Time))
}

// timeLeft returns how much of a time that counts from a stamp is still to come.
// It asks to be called again when it is over.
func (c *clock) timeLeft(since *metav1.Time, length time.Duration) time.Duration {
	left := length
	if since != nil {
		left = since.Add(length).Sub(c.now)
	}
	if left > 0 {
		c.lookAgainIn(left)
	}
	return max(0, left)
}

// lookAgainIn asks to be called again after a while, at the latest.
func (c *clock) lookAgainIn(after time.Duration) {
	if c.after == 0 || after < c.after {
		c.after = after
	}
}

// deadlineAfter returns when a time that counts from a stamp is over, nil where there
// is no stamp. It asks to be called again then.
func (c *clock) deadlineAfter(since *metav1.Time, length time.Duration) *metav1.Time {
	if since == nil {
		return nil
	}
	c.timeLeft(since, length)
	return &metav1.Time{Time: since.Add(length)}
}

// isFromAnotherClock reports whether a time lies so far ahead that the clock must have
// been set back.
func (c *clock) isFromAnotherClock(t time.Time) bool { return t.After(c.now.Add(clockTolerance)) }

// formatTime writes a time, with its day where that is not today.
func (c *clock) formatTime(at time.Time) string {
	t := at.UTC().Round(time.Second)
	if at.Sub(c.now).Abs() > 20*time.Hour {
		return t.Format("2006-01-02 15:04 UTC")
	}
	return t.Format("15:04:05 UTC")
}
