package rollout

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// verdict is the answer of a gate: it passes where waiting is nil.
type verdict struct{ waiting *v1.WaitingStatus }

var passed = verdict{}

func (v verdict) isPass() bool { return v.waiting == nil }

// waitFor returns the verdict of a gate that holds the rollout.
func waitFor(reason v1.WaitingReason, format string, args ...any) verdict {
	return verdict{&v1.WaitingStatus{Reason: reason, Message: fmt.Sprintf(format, args...)}}
}

// untilTime adds when time ends the wait.
func (v verdict) untilTime(at *metav1.Time) verdict {
	v.waiting.Until = at
	return v
}

// withPrefix puts a message in front of the verdict's own.
func (v verdict) withPrefix(format string, args ...any) verdict {
	w := *v.waiting
	w.Message = fmt.Sprintf(format, args...) + "; " + w.Message
	return verdict{&w}
}

// describeTrouble is why pods are not ready, for the end of a sentence.
func describeTrouble(w Workload) string {
	if w.Trouble == "" {
		return ""
	}
	return " (" + strings.TrimRight(w.Trouble, ".") + ")"
}

// countPods counts pods: 1 pod, 2 pods.
func countPods(n int32, kind string) string {
	if n == 1 {
		return fmt.Sprintf("1 %spod", kind)
	}
	return fmt.Sprintf("%d %spods", n, kind)
}

// formatDuration writes a length of time as people do: 10m, 1h30m, 45s.
func formatDuration(d time.Duration) string {
	if d > time.Second {
		d = d.Round(time.Second)
	} else if d > 0 {
		d = time.Second
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
