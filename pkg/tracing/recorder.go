package tracing

import (
	"fmt"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"

	v1 "gati.dev/gati/api/v1"
)

// maxNote is the most that the API server takes as an Event's note.
const maxNote = 1024

// Recorder returns a recorder whose Events end with the id of the trace.
func (t *Tracer) Recorder(next events.EventRecorder) events.EventRecorder {
	if t == nil {
		return next
	}
	return recorder{next}
}

type recorder struct{ events.EventRecorder }

// Eventf implements events.EventRecorder.
func (r recorder) Eventf(regarding, related runtime.Object, kind, reason, action, note string, args ...any) {
	var s Subject
	switch o := regarding.(type) {
	case *v1.GatiHandler:
		s = SubjectOf("GatiHandler", o)
	case *v1.GatiModule:
		s = SubjectOf("GatiModule", o)
	default:
		r.EventRecorder.Eventf(regarding, related, kind, reason, action, note, args...)
		return
	}
	mark := fmt.Sprintf(" (trace %s)", s.ID())
	text := fmt.Sprintf(note, args...)
	if most := maxNote - len(mark); len(text) > most {
		for !utf8.RuneStart(text[most]) {
			most--
		}
		text = text[:most]
	}
	r.EventRecorder.Eventf(regarding, related, kind, reason, action, "%s", text+mark)
}
