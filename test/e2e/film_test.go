package e2e

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// frame is an object as one write has left it, and when the watch told of it.
type frame[T client.Object] struct {
	at      time.Time
	object  T
	deleted bool
}

// film has every state of the objects of a kind, in order. A look now and then
// misses states that pass by themselves.
type film[T client.Object] struct {
	w      *world
	mu     sync.Mutex
	frames []frame[T]
	// ended tells that there may be more than the watch told of.
	ended bool
}

// filmOf begins with the states that the namespace's objects are in now.
func filmOf[T client.Object](w *world, list client.ObjectList) *film[T] {
	w.t.Helper()
	events, err := admin.Watch(w.t.Context(), list, client.InNamespace(w.ns))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(events.Stop)
	f := &film[T]{w: w}
	go f.roll(events)
	return f
}

func (f *film[T]) roll(events watch.Interface) {
	for e := range events.ResultChan() {
		object, ok := e.Object.(T)
		if !ok {
			break // An error: the watch is over.
		}
		f.mu.Lock()
		f.frames = append(f.frames, frame[T]{time.Now(), object, e.Type == watch.Deleted})
		f.mu.Unlock()
	}
	f.mu.Lock()
	f.ended = true
	f.mu.Unlock()
}

// soFar returns what the watch has told of.
func (f *film[T]) soFar() []frame[T] {
	f.w.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended && f.w.t.Context().Err() == nil {
		f.w.t.Fatal("the watch has ended: the film has a gap")
	}
	return slices.Clone(f.frames)
}

// first waits for the first frame that is as asked for.
func (f *film[T]) first(what string, is func(frame[T]) bool) (found frame[T]) {
	f.w.t.Helper()
	f.w.eventually(what, func() error {
		frames := f.soFar()
		at := slices.IndexFunc(frames, is)
		if at < 0 {
			return fmt.Errorf("it is in none of %d states", len(frames))
		}
		found = frames[at]
		return nil
	})
	return found
}

// isFilmed records the handler from now on.
func (g given) isFilmed() *film[*v1.GatiHandler] {
	g.t.Helper()
	return filmOf[*v1.GatiHandler](g.world, &v1.GatiHandlerList{})
}
