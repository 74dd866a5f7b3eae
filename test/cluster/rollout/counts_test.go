package rollout_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/statusrecorder"
)

// Each write of a handler or of a record costs the API server more than all else that a
// rollout does. The Events tell what happened, each thing once.
func TestFewWritesAndEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := &ledger{
		world:    w,
		handlers: statusrecorder.Of[*v1.GatiHandler](t, admin, &v1.GatiHandlerList{}, client.InNamespace(w.ns)),
		records:  statusrecorder.Of[*v1.GatiVersion](t, admin, &v1.GatiVersionList{}, client.InNamespace(w.ns)),
		events:   statusrecorder.Of[*eventsv1.Event](t, admin, &eventsv1.EventList{}, client.InNamespace(w.ns)),
	}
	l.hold("a new handler", "v1", 6, 2)
	l.hold("a canary of three steps", "v2", 18, 8)
}

// ledger counts what is written of the handlers of a namespace.
type ledger struct {
	*world
	handlers *statusrecorder.Film[*v1.GatiHandler]
	records  *statusrecorder.Film[*v1.GatiVersion]
	events   *statusrecorder.Film[*eventsv1.Event]
}

// hold applies a version and holds how many writes and Events that takes until nothing
// more comes, its user's own write included.
func (l *ledger) hold(what, version string, mostWrites, mostEvents int) {
	l.t.Helper()
	writes, told, began := l.writes(), l.told(), time.Now()
	l.apply(l.canary(version).Obj())
	l.reaches("users", version+" 100", v1.RolloutStable)
	l.says("users", "Ready=True")
	lasted := time.Since(began)
	l.rest()
	writes, told = l.writes()[len(writes):], l.told()[len(told):]
	l.t.Logf("%s: %d writes, %d Events\n%s", what, len(writes), len(told), strings.Join(writes, "\n"))
	// On a slow machine, numbers of pods that nothing else carries along wait 3 s each.
	mostWrites += int(lasted / (3 * time.Second))
	if len(writes) > mostWrites {
		l.t.Errorf("%s takes %d writes of the handler and its records, at most %d:\n%s", what, len(writes), mostWrites, strings.Join(writes, "\n"))
	}
	if len(told) > mostEvents {
		l.t.Errorf("%s takes %d Events, at most %d:\n%s", what, len(told), mostEvents, strings.Join(told, "\n"))
	}
}

// rest waits until nothing was written for longer than anything may be put off.
func (l *ledger) rest() {
	l.t.Helper()
	count, since := -1, time.Now()
	l.within("no more writes", func() error {
		if now := len(l.writes()) + len(l.told()); now != count {
			count, since = now, time.Now()
		}
		if time.Since(since) < 4*time.Second {
			return errors.New("they go on")
		}
		return nil
	})
}

// writes returns all writes so far, in order.
func (l *ledger) writes() []string {
	var out []string
	for _, f := range l.handlers.Frames() {
		h := f.Object
		out = append(out, fmt.Sprintf("%s handler: generation %d of %d, %s, %s, %s", f.At.Format("15:04:05.000"), h.Status.ObservedGeneration, h.Generation, h.Status.Weights, h.Status.Ready, ready(h.Status.Conditions)))
	}
	for _, f := range l.records.Frames() {
		v := f.Object
		out = append(out, fmt.Sprintf("%s record %s: %s, %s", f.At.Format("15:04:05.000"), v.Name, v.Status.Phase, ready(v.Status.Conditions)))
	}
	slices.Sort(out)
	return out
}

// ready returns the message of a condition that people read first.
func ready(all []metav1.Condition) string {
	if c := meta.FindStatusCondition(all, v1.ConditionReady); c != nil {
		return c.Message
	}
	return ""
}

// told returns the Events about handlers and records so far.
func (l *ledger) told() []string {
	var out []string
	for _, f := range l.events.Frames() {
		if e := f.Object; strings.HasPrefix(e.Regarding.APIVersion, v1.Group+"/") {
			out = append(out, fmt.Sprintf("%s %s: %s", e.Regarding.Name, e.Reason, e.Note))
		}
	}
	return out
}
