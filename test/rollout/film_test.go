package rollout_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// film has every state of an object, in order. A look now and then misses states
// that pass by themselves; a watch does not.
type film[T client.Object] struct {
	w  *world
	mu sync.Mutex
	// frames has one object for each write, ended tells that there may be more than
	// the watch told of.
	frames []T
	ended  bool
}

// film begins with the state that a handler is in now.
func (w *world) film(name string) *film[*v1.GatiHandler] {
	w.t.Helper()
	return record[*v1.GatiHandler](w, &v1.GatiHandlerList{}, name)
}

func record[T client.Object](w *world, of client.ObjectList, name string) *film[T] {
	w.t.Helper()
	// A watch without a version may begin with states that have passed.
	this := &client.ListOptions{Namespace: w.ns, FieldSelector: fields.OneTermEqualSelector("metadata.name", name)}
	if err := admin.List(w.t.Context(), of, this); err != nil {
		w.t.Fatal(err)
	}
	f := &film[T]{w: w}
	if err := meta.EachListItem(of, func(obj runtime.Object) error {
		f.frames = append(f.frames, obj.(T))
		return nil
	}); err != nil {
		w.t.Fatal(err)
	}
	this.Raw = &metav1.ListOptions{ResourceVersion: of.GetResourceVersion()}
	events, err := admin.Watch(w.t.Context(), of, this)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(events.Stop)
	go f.roll(events)
	return f
}

func (f *film[T]) roll(events watch.Interface) {
	for e := range events.ResultChan() {
		obj, ok := e.Object.(T)
		if !ok {
			break // An error: the watch is over.
		}
		f.mu.Lock()
		f.frames = append(f.frames, obj)
		f.mu.Unlock()
	}
	f.mu.Lock()
	f.ended = true
	f.mu.Unlock()
}

// far returns what the watch has told of so far.
func (f *film[T]) far() []T {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended && f.w.t.Context().Err() == nil {
		f.w.t.Fatal("the watch has ended: the film has a gap")
	}
	return slices.Clone(f.frames)
}

// until returns the frames up to a state that was read elsewhere, which the watch
// may not have told of yet.
func (f *film[T]) until(last T) []T {
	f.w.t.Helper()
	var out []T
	f.w.within("the film up to version "+last.GetResourceVersion(), func() string {
		out = f.far()
		at := slices.IndexFunc(out, func(obj T) bool { return obj.GetResourceVersion() == last.GetResourceVersion() })
		if at < 0 {
			return "not yet"
		}
		out = out[:at+1]
		return ""
	})
	return out
}

// distinct returns what was to be seen in a film, without repetitions.
func distinct[T any](frames []T, of func(T) string) []string {
	var out []string
	for _, f := range frames {
		out = append(out, of(f))
	}
	return slices.Compact(out)
}

// went holds that a handler had these weights one after the other: decided, or as
// shares also accepted.
func went(t *testing.T, frames []*v1.GatiHandler, of func(*v1.GatiHandler) string, want ...string) {
	t.Helper()
	next, passed := 0, distinct(frames, of)
	for _, now := range passed {
		if next < len(want) && now == want[next] {
			next++
		}
	}
	if next < len(want) {
		t.Errorf("%q was not next; it went\n%s", want[next], strings.Join(passed, "\n"))
	}
}
