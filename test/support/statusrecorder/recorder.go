// Package statusrecorder records every state that objects pass through, for tests that ask how
// something went and not only how it ended. A look now and then misses states that
// pass by themselves; a watch does not. It knows nothing of what the states mean.
package statusrecorder

import (
	"slices"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Frame is an object as one write has left it, and when that was heard of.
type Frame[T client.Object] struct {
	At      time.Time
	Object  T
	Deleted bool
}

// Film has the states of the objects of a kind, in order.
type Film[T client.Object] struct {
	t      testing.TB
	mu     sync.Mutex
	frames []Frame[T]
	// ended is true when there may be more than the watch told of.
	ended bool
}

// Of begins with the states that the listed objects are in now, and goes on until the
// test ends.
func Of[T client.Object](t testing.TB, c client.WithWatch, of client.ObjectList, opts ...client.ListOption) *Film[T] {
	t.Helper()
	// A watch without a version may begin with states that have passed.
	these := (&client.ListOptions{}).ApplyOptions(opts)
	if err := c.List(t.Context(), of, these); err != nil {
		t.Fatal(err)
	}
	f := &Film[T]{t: t}
	if err := meta.EachListItem(of, func(obj runtime.Object) error {
		f.frames = append(f.frames, Frame[T]{At: time.Now(), Object: obj.(T)})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	these.Raw = &metav1.ListOptions{ResourceVersion: of.GetResourceVersion()}
	events, err := c.Watch(t.Context(), of, these)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(events.Stop)
	go f.roll(events)
	return f
}

func (f *Film[T]) roll(events watch.Interface) {
	for e := range events.ResultChan() {
		obj, ok := e.Object.(T)
		if !ok {
			break // An error: the watch is over.
		}
		f.mu.Lock()
		f.frames = append(f.frames, Frame[T]{time.Now(), obj, e.Type == watch.Deleted})
		f.mu.Unlock()
	}
	f.mu.Lock()
	f.ended = true
	f.mu.Unlock()
}

// Frames returns what the watch has told of so far.
func (f *Film[T]) Frames() []Frame[T] {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended && f.t.Context().Err() == nil {
		f.t.Fatal("the watch has ended: the film has a gap")
	}
	return slices.Clone(f.frames)
}
