package turn

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"gati.dev/gati/pkg/rollout"
)

// scope is a namespace or the cluster.
type scope struct {
	// running has the handlers with a place, blocked those of them that are paused or
	// stalled.
	running, blocked map[types.NamespacedName]bool
	// line orders the waiting handlers.
	line line
	// offered are the places of this namespace in the cluster's line.
	offered []place
}

func newScope() *scope {
	return &scope{running: map[types.NamespacedName]bool{}, blocked: map[types.NamespacedName]bool{}}
}

func (s *scope) setRunning(key types.NamespacedName, e entry) {
	delete(s.running, key)
	delete(s.blocked, key)
	if e.holdsPlace() {
		s.running[key] = true
	}
	if e.isBlocked {
		s.blocked[key] = true
	}
}

// boundFor returns the bound as it is for a handler at a place of the line. Names have their
// namespace where the scope has more than one.
func (s *scope) boundFor(name string, limit int, own place, isWide bool) rollout.Bound {
	out := rollout.Bound{Scope: name, Limit: limit, Taken: len(s.running), Before: s.line.countBefore(own), Blocked: len(s.blocked)}
	for key := range s.blocked {
		text := key.Name
		if isWide {
			text = key.String()
		}
		if out.FirstBlocked == "" || text < out.FirstBlocked {
			out.FirstBlocked = text
		}
	}
	return out
}

// place is the position of a waiting handler: the oldest first, by name among equals.
type place struct {
	since time.Time
	key   types.NamespacedName
}

func comparePlaces(a, b place) int {
	return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.key.Namespace, b.key.Namespace), cmp.Compare(a.key.Name, b.key.Name))
}

// line is sorted, so that a place in it is found without going through it.
type line []place

func (l *line) add(p place) {
	if at, found := slices.BinarySearchFunc(*l, p, comparePlaces); !found {
		*l = slices.Insert(*l, at, p)
	}
}

func (l *line) remove(p place) {
	if at, found := slices.BinarySearchFunc(*l, p, comparePlaces); found {
		*l = slices.Delete(*l, at, at+1)
	}
}

// countBefore counts the places before one that need not be in the line.
func (l line) countBefore(p place) int {
	at, _ := slices.BinarySearchFunc(l, p, comparePlaces)
	return at
}

// first returns the first n places, or all there are.
func (l line) first(n int) []place { return l[:max(0, min(n, len(l)))] }
