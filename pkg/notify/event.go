package notify

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// NeedsAttention is the event of an object that cannot go on until a user acts.
const NeedsAttention = "NeedsAttention"

// Kinds are the events that a sink may ask for: those of the history of a rollout, and
// NeedsAttention.
var Kinds = []string{
	"Started", "Step", "Weights", "Completed", "RolledBack", "Failed", "Superseded", "Interrupted", "Overridden",
	"Requested", "Refused", "Resumed", "Decommissioned", NeedsAttention,
}

// defaultKinds are those of a sink that names none.
var defaultKinds = []string{"Completed", "RolledBack", "Failed", NeedsAttention}

// Object names a handler or module.
type Object struct{ Kind, Namespace, Name string }

// Event is something that happened to an object.
type Event struct {
	// ID is a function of the fields below, so that every leader finds the same.
	ID     string
	Kind   string
	Object Object
	UID    string
	At     time.Time
	// By is who did it, From and To are versions or weights, Message is the cause.
	By, From, To, Message string
	// Open is true for a state that lasts: it is delivered also when it began long ago.
	Open bool
}

// HandlerEvents returns the events in the status of a handler.
func HandlerEvents(h *v1.GatiHandler) []Event {
	object := Object{"GatiHandler", h.Namespace, h.Name}
	var out []Event
	if ro := h.Status.Rollout; ro != nil {
		for _, e := range ro.History {
			out = append(out, withID(Event{
				Kind: e.What, Object: object, UID: string(h.UID), At: e.At.Time, By: e.By, From: e.From, To: e.To, Message: e.Why,
			}, e.Why))
		}
	}
	return appendStalled(out, object, string(h.UID), h.Status.Conditions)
}

// ModuleEvents returns the events in the status of a module.
func ModuleEvents(m *v1.GatiModule) []Event {
	return appendStalled(nil, Object{"GatiModule", m.Namespace, m.Name}, string(m.UID), m.Status.Conditions)
}

// appendStalled adds the event of the condition Stalled. Its reason is part of the id,
// its message is not: numbers in it change.
func appendStalled(out []Event, object Object, uid string, conditions []metav1.Condition) []Event {
	c := meta.FindStatusCondition(conditions, v1.ConditionStalled)
	if c == nil || c.Status != metav1.ConditionTrue {
		return out
	}
	return append(out, withID(Event{
		Kind: NeedsAttention, Object: object, UID: uid, At: c.LastTransitionTime.Time, By: v1.FieldManager, Message: c.Message, Open: true,
	}, c.Reason))
}

// withID returns an event with its id. cause tells events of one second apart.
func withID(e Event, cause string) Event {
	parts := []string{e.UID, e.Kind, e.At.UTC().Format(time.RFC3339), e.By, e.From, e.To, cause}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	e.ID = hex.EncodeToString(sum[:16])
	return e
}
