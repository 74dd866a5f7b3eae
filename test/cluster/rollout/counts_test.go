package rollout_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/statusrecorder"
)

// Each write of a handler or of a record costs the API server more than all else that a
// rollout does. The Events tell what happened, each thing once. The bars are those of the
// design, without the write of the user.
func TestFewWritesAndEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := newLedger(w)
	// Of one pod: several may become ready one after another, with other changes between them.
	l.assertCosts("a new handler", "v1", 1, 2*time.Second, 5, 2)
	l.hasPods(4)
	l.assertCosts("a canary of three steps", "v2", 4, 20*time.Second, 20, 10)
}

// hasPods changes the number of pods of the first version, and counts nothing of it.
func (l *ledger) hasPods(n int32) {
	l.t.Helper()
	l.changeHandler("users", func(live *v1.GatiHandler) { live.Spec.Replicas = &n })
	l.eventually(fmt.Sprintf("%d pods that are ready", n), func() error {
		if h := l.readHandler("users"); h.Status.ReadyReplicas != n {
			return fmt.Errorf("%d are", h.Status.ReadyReplicas)
		}
		return nil
	})
	l.awaitNoWrites()
}

// ledger counts what is written of the handlers of a namespace.
type ledger struct {
	*world
	handlers *statusrecorder.Film[*v1.GatiHandler]
	records  *statusrecorder.Film[*v1.GatiVersion]
	events   *statusrecorder.Film[*eventsv1.Event]
}

func newLedger(w *world) *ledger {
	w.t.Helper()
	return &ledger{
		world:    w,
		handlers: statusrecorder.Of[*v1.GatiHandler](w.t, admin, &v1.GatiHandlerList{}, client.InNamespace(w.ns)),
		records:  statusrecorder.Of[*v1.GatiVersion](w.t, admin, &v1.GatiVersionList{}, client.InNamespace(w.ns)),
		events:   statusrecorder.Of[*eventsv1.Event](w.t, admin, &eventsv1.EventList{}, client.InNamespace(w.ns)),
	}
}

// assertCosts applies a version of so many pods and holds how many writes and Events that takes
// until nothing more comes, besides its user's own write. Where pods are slow, numbers of them
// come on top: those that have waited for another write as long as they may. Where all takes
// longer than usual, other writes have waited so long as well.
func (l *ledger) assertCosts(what, version string, pods int32, usual time.Duration, mostWrites, mostEvents int) {
	l.t.Helper()
	writes, told := l.listWrites(), l.listEvents()
	l.applyHandler(l.makeCanary(version).Replicas(pods).Obj())
	l.awaitPhase("users", version+" 100", v1.RolloutStable)
	l.awaitStory("users", "Ready=True")
	l.awaitNoWrites()
	writes, told = l.listWrites()[len(writes)+1:], l.listEvents()[len(told):]
	var lines []string
	var decided time.Time
	for _, w := range writes {
		lines = append(lines, w.String())
		switch {
		case !w.isProgress():
			decided = w.at
		case w.at.Sub(decided) > 2500*time.Millisecond:
			mostWrites++
		}
	}
	lasted := writes[len(writes)-1].at.Sub(writes[0].at)
	mostWrites += int(math.Ceil(max(0, lasted-usual).Seconds() / 3))
	all := strings.Join(lines, "\n")
	l.t.Logf("%s: %d writes, %d Events\n%s", what, len(writes), len(told), all)
	if len(writes) > mostWrites {
		l.t.Errorf("%s takes %d writes of the handler and its records, at most %d:\n%s", what, len(writes), mostWrites, all)
	}
	if len(told) > mostEvents {
		l.t.Errorf("%s takes %d Events, at most %d:\n%s", what, len(told), mostEvents, strings.Join(told, "\n"))
	}
}

// awaitNoWrites waits until nothing was written for longer than anything may be put off.
func (l *ledger) awaitNoWrites() {
	l.t.Helper()
	count, since := -1, time.Now()
	l.eventually("no more writes", func() error {
		if now := len(l.listWrites()) + len(l.listEvents()); now != count {
			count, since = now, time.Now()
		}
		if time.Since(since) < 4*time.Second {
			return errors.New("they go on")
		}
		return nil
	})
}

// write is one of a handler or record.
type write struct {
	at      time.Time
	of      string
	changes []string
}

func (w write) String() string {
	return fmt.Sprintf("%s %s: %s", w.at.Format("15:04:05.000"), w.of, strings.Join(w.changes, "; "))
}

// progress has the paths that change with numbers of pods: with each pod more, the deadline
// for the next begins anew.
var progress = regexp.MustCompile(`^status\.(ready|replicas|readyReplicas|lastUpdated|conditions\[\d+\]\.message|rollout\.(mostReady|routeGeneration|shortSince|waitingFor\.(message|until))|versions\[\d+\]\.(unserved|trafficSource)) `)

// isProgress reports whether a write says nothing but how many pods are ready.
func (w write) isProgress() bool {
	return len(w.changes) > 0 && !slices.ContainsFunc(w.changes, func(c string) bool { return !progress.MatchString(c) })
}

// listWrites returns all writes so far, in order.
func (l *ledger) listWrites() []write {
	var out []write
	before := map[string]map[string]string{}
	note := func(at time.Time, kind string, obj client.Object) {
		key, now := kind+" "+obj.GetName(), l.flattenObject(obj)
		out = append(out, write{at: at, of: key, changes: listChanges(before[key], now)})
		before[key] = now
	}
	for _, f := range l.handlers.Frames() {
		note(f.At, "handler", f.Object)
	}
	for _, f := range l.records.Frames() {
		note(f.At, "record", f.Object)
	}
	slices.SortStableFunc(out, func(a, b write) int { return a.at.Compare(b.at) })
	return out
}

// flattenObject returns the values of an object by their paths, except those that each write changes.
func (l *ledger) flattenObject(obj client.Object) map[string]string {
	l.t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		l.t.Fatal(err)
	}
	out := map[string]string{}
	addValues(out, "", content)
	maps.DeleteFunc(out, func(path, _ string) bool {
		return strings.HasPrefix(path, "metadata.managedFields") || path == "metadata.resourceVersion"
	})
	return out
}

func addValues(into map[string]string, path string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, part := range v {
			addValues(into, strings.TrimPrefix(path+"."+key, "."), part)
		}
	case []any:
		for i, part := range v {
			addValues(into, fmt.Sprintf("%s[%d]", path, i), part)
		}
	default:
		into[path] = fmt.Sprint(v)
	}
}

// listChanges returns the paths whose values differ, and both values.
func listChanges(before, now map[string]string) []string {
	all := maps.Clone(now)
	maps.Copy(all, before)
	var out []string
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if was, is := before[path], now[path]; was != is && before != nil {
			out = append(out, fmt.Sprintf("%s %q → %q", path, was, is))
		}
	}
	return out
}

// listEvents returns the Events about handlers and records so far.
func (l *ledger) listEvents() []string {
	var out []string
	for _, f := range l.events.Frames() {
		if e := f.Object; strings.HasPrefix(e.Regarding.APIVersion, v1.Group+"/") {
			out = append(out, fmt.Sprintf("%s %s: %s", e.Regarding.Name, e.Reason, e.Note))
		}
	}
	return out
}
