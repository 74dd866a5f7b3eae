package rollout_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/statusrecorder"
)

// film has every state of one object.
type film[T client.Object] struct {
	*statusrecorder.Film[T]
	w *world
}

// recordHandler begins with the state that a handler is in now.
func (w *world) recordHandler(name string) *film[*v1.GatiHandler] {
	w.t.Helper()
	return recordObject[*v1.GatiHandler](w, &v1.GatiHandlerList{}, name)
}

func recordObject[T client.Object](w *world, of client.ObjectList, name string) *film[T] {
	w.t.Helper()
	this := &client.ListOptions{Namespace: w.ns, FieldSelector: fields.OneTermEqualSelector("metadata.name", name)}
	return &film[T]{statusrecorder.Of[T](w.t, admin, of, this), w}
}

// statesSoFar returns the states so far.
func (f *film[T]) statesSoFar() []T {
	f.w.t.Helper()
	var out []T
	for _, frame := range f.Frames() {
		out = append(out, frame.Object)
	}
	return out
}

// awaitStatesUntil returns the frames up to a state that was read elsewhere, which the watch
// may not have told of yet.
func (f *film[T]) awaitStatesUntil(last T) []T {
	f.w.t.Helper()
	var out []T
	f.w.eventually("the film up to version "+last.GetResourceVersion(), func() error {
		out = f.statesSoFar()
		at := slices.IndexFunc(out, func(obj T) bool { return obj.GetResourceVersion() == last.GetResourceVersion() })
		if at < 0 {
			return errors.New("not yet")
		}
		out = out[:at+1]
		return nil
	})
	return out
}

// distinctStates returns what was to be seen in a film, without repetitions.
func distinctStates[T any](frames []T, of func(T) string) []string {
	var out []string
	for _, f := range frames {
		out = append(out, of(f))
	}
	return slices.Compact(out)
}

// assertPassed holds that a handler had these weights one after the other: decided, or as
// shares also accepted.
func assertPassed(t *testing.T, frames []*v1.GatiHandler, of func(*v1.GatiHandler) string, want ...string) {
	t.Helper()
	next, passed := 0, distinctStates(frames, of)
	for _, now := range passed {
		if next < len(want) && now == want[next] {
			next++
		}
	}
	if next < len(want) {
		t.Errorf("%q was not next; it went\n%s", want[next], strings.Join(passed, "\n"))
	}
}
