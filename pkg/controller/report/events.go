package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/printable"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/target"
)

// maxNote is the most that the API server takes as an Event's note.
const maxNote = 1024

// Recorder records Events whose notes the API server takes and no terminal obeys.
type Recorder struct{ events.EventRecorder }

// Eventf implements events.EventRecorder.
func (r Recorder) Eventf(regarding, related runtime.Object, kind, reason, action, note string, args ...any) {
	text := clipText(printable.Text(fmt.Sprintf(note, args...)), maxNote)
	r.EventRecorder.Eventf(regarding, related, kind, reason, action, "%s", text)
}

// Writes reports in one Event the objects that were created, updated and deleted without a
// decision, such as repaired drift.
func Writes(r events.EventRecorder, obj runtime.Object, writes []string) {
	if len(writes) > 0 {
		r.Eventf(obj, nil, corev1.EventTypeNormal, "Applied", "Apply", "%s", strings.Join(writes, ", "))
	}
}

// Notices reports the notices of a target as Events.
func Notices(r events.EventRecorder, obj runtime.Object, notices []target.Notice) {
	for _, n := range notices {
		kind := corev1.EventTypeNormal
		if n.Warning {
			kind = corev1.EventTypeWarning
		}
		r.Eventf(obj, nil, kind, n.Reason, "Apply", "%s", n.Message)
	}
}

// Decided reports the decisions as Events.
func Decided(r events.EventRecorder, obj runtime.Object, decided []rollout.Event) {
	for _, e := range decided {
		kind := corev1.EventTypeNormal
		if e.Warning {
			kind = corev1.EventTypeWarning
		}
		r.Eventf(obj, nil, kind, e.Reason, "Rollout", "%s", e.Message)
	}
}

// Turned tells in Events of conditions that have changed: when an object becomes
// ready, when a write fails, and when a user has to act.
func Turned(r events.EventRecorder, obj runtime.Object, before, after []metav1.Condition) {
	if now := newlyTrue(before, after, v1.ConditionStalled); now != nil {
		r.Eventf(obj, nil, corev1.EventTypeWarning, now.Reason, "Reconcile", "%s", now.Message)
	}
	if now := newlyTrue(before, after, v1.ConditionReconciling); now != nil && now.Reason == string(v1.ReasonApplyFailed) {
		r.Eventf(obj, nil, corev1.EventTypeWarning, now.Reason, "Reconcile", "%s", now.Message)
	}
	if now := newlyTrue(before, after, v1.ConditionReady); now != nil {
		r.Eventf(obj, nil, corev1.EventTypeNormal, now.Reason, "Reconcile", "%s", now.Message)
	}
}

// newlyTrue returns a condition that is true now and was not before, or was for
// another reason.
func newlyTrue(before, after []metav1.Condition, kind string) *metav1.Condition {
	was, is := meta.FindStatusCondition(before, kind), meta.FindStatusCondition(after, kind)
	if is == nil || is.Status != metav1.ConditionTrue {
		return nil
	}
	if was != nil && was.Status == is.Status && was.Reason == is.Reason {
		return nil
	}
	return is
}

// clipText cuts a text to so many bytes, within which the API server counts either
// bytes or characters.
func clipText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const more = "…"
	cut := most - len(more)
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + more
}
