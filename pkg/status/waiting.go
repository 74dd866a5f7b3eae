package status

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/printable"
	"gati.dev/gati/pkg/remedy"
	"gati.dev/gati/pkg/rollout"
)

// requests are the commands that end a wait, for the reasons that time and pods do not
// end.
var requests = map[v1.WaitingReason]string{
	v1.WaitingForPromotion:     "promote: " + string(remedy.Promote),
	v1.WaitingForTraffic:       "promote: " + string(remedy.Promote),
	v1.WaitingForResume:        "resume: " + string(remedy.Resume),
	v1.WaitingForAction:        "retry: " + string(remedy.Retry) + ", or return to the stable version: " + string(remedy.Abort),
	v1.WaitingForSpecChange:    "change the spec, or try again: " + string(remedy.Retry),
	v1.WaitingForCompatibility: "see the differences: " + string(remedy.Compare) + "; then add transformers for both directions, or allow the version: " + pages + "requests.md",
	v1.WaitingForActivation:    "activate it: " + string(remedy.Activate),
	v1.WaitingForShares:        "request traffic for fewer versions: " + string(remedy.SetTraffic),
}

// setReason renders the wait of the rollout.
func (r *Rollout) setReason(h *v1.GatiHandler, conditions []Condition, now time.Time) {
	w := r.WaitingFor
	if w == nil {
		if r.Mode != v1.RolloutInPlace && (r.Phase == v1.RolloutProgressing || r.Phase == v1.RolloutRollingBack || r.Phase == v1.RolloutFailed) {
			r.Reason, r.Next = reportedMessage(conditions), "the controller continues automatically"
		}
		return
	}
	r.Reason, r.NextAt = printable.OneLine(w.Message), w.Until
	request, health := requests[w.Reason], w.Reason.Health()
	r.Back, r.Waits = health == RolledBack, health == Paused || health == Degraded
	switch {
	case request != "":
		names := strings.NewReplacer("HANDLER", h.Name+" -n "+h.Namespace, "OLD", stableVersion(h), "NEW", h.Status.Version,
			"VERSION=SHARE", "VERSION=0", "VERSION", h.Status.Version)
		r.Next = names.Replace(request)
	case w.Until == nil:
		r.Next = "the controller continues automatically"
	default:
		r.Next = describeWait(h, now)
	}
}

// describeWait returns what is to be expected of a wait with a time.
func describeWait(h *v1.GatiHandler, now time.Time) string {
	ro, policy := h.Status.Rollout, rollout.InputFor(h, nil, now).Policy
	f, w := rollout.ForecastStep(&policy, ro), ro.WaitingFor
	switch {
	case f != nil && f.Missing > 0 && f.Latest.After(now):
		if !w.Until.After(now) {
			f.Next = nil
		}
		return f.Describe(func(at metav1.Time) string { return timeLeft(&at, now, formatLength, "now") }, printable.Count(int(f.Missing), "more request"))
	case f != nil && f.Next != nil:
		return "continues " + timeLeft(w.Until, now, formatLength, "when all gates pass")
	default:
		return "deadline " + timeLeft(w.Until, now, formatLength, "passed")
	}
}

func stableVersion(h *v1.GatiHandler) string {
	if s := h.Status.Rollout.Stable; s != nil {
		return s.Version
	}
	return ""
}

// DescribeStay returns why a draining version stays, or when it is removed at the
// earliest; empty for others. The caller formats the time that is left.
func (v *Version) DescribeStay(now time.Time, format func(time.Duration) string) string {
	switch s := v.Stays; {
	case s == nil:
		return ""
	case s.NotBefore == nil:
		return "stays: " + printable.OneLine(s.Message)
	default:
		return fmt.Sprintf("removed %s (%s)", timeLeft(s.NotBefore, now, format, "now"), printable.OneLine(s.Message))
	}
}

// timeLeft returns "in 59m", or otherwise once the time is over.
func timeLeft(at *metav1.Time, now time.Time, format func(time.Duration) string, otherwise string) string {
	if left := at.Sub(now); left > 0 {
		return "in " + format(left)
	}
	return otherwise
}

// reportedMessage returns the controller's own sentence.
func reportedMessage(conditions []Condition) string {
	for _, kind := range []string{v1.ConditionStalled, v1.ConditionReconciling, v1.ConditionReady} {
		for i := range conditions {
			if c := &conditions[i]; c.Type == kind && c.Message != "" {
				return c.Message
			}
		}
	}
	return ""
}

func formatPercent(weight int32) string { return fmt.Sprintf("%d %%", weight) }

// formatLength writes a length of time as Age does.
func formatLength(d time.Duration) string { return duration.HumanDuration(max(0, d)) }
