package e2e

import (
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/statusrecorder"
)

// film has every state of the objects of a kind in the test's namespace.
type film[T client.Object] struct {
	*statusrecorder.Film[T]
	w *world
}

// filmOf begins with the states that the namespace's objects are in now.
func filmOf[T client.Object](w *world, list client.ObjectList) *film[T] {
	w.t.Helper()
	return &film[T]{statusrecorder.Of[T](w.t, admin, list, client.InNamespace(w.ns)), w}
}

// awaitFirst waits for the first frame that is as asked for.
func (f *film[T]) awaitFirst(what string, is func(statusrecorder.Frame[T]) bool) (found statusrecorder.Frame[T]) {
	f.w.t.Helper()
	f.w.eventually(what, func() error {
		frames := f.Frames()
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
