// Package turn counts the rollouts under way and lines up the handlers that wait for one to
// end, so that no reconciler goes through all handlers. All of it follows from the statuses
// in the cache: a new leader fills its board from them before it decides anything.
//
// It must not know what a turn is needed for (pkg/decide) nor what a rollout is
// (pkg/rollout).
package turn

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// Limits are the operator's bounds on the rollouts under way at once; 0 is none.
type Limits struct {
	Namespace, Cluster int
	// All applies them to every rollout, not only to those that the image of a namespace
	// leads to.
	All bool
}

// Board knows which handlers have a rollout under way, and which wait for one to end. A nil
// Board bounds nothing.
type Board struct {
	limits Limits

	mu         sync.Mutex
	entries    map[types.NamespacedName]entry
	namespaces map[string]*scope
	// cluster lines up the handlers that are next in their namespace.
	cluster *scope
}

// New returns a board; nil where there is no limit.
func New(limits Limits) *Board {
	if limits.Namespace <= 0 && limits.Cluster <= 0 {
		return nil
	}
	return &Board{limits: limits, entries: map[types.NamespacedName]entry{}, namespaces: map[string]*scope{}, cluster: newScope()}
}

// entry is the state of one handler on the board.
type entry struct {
	uid types.UID
	// isUnderWay is set while the status shows a rollout under way, isTaken from the
	// decision to begin one until the status shows it. isBlocked: it is paused or stalled.
	isUnderWay, isTaken, isBlocked bool
	// since is when the handler began to wait; zero where it does not.
	since time.Time
}

func (e entry) holdsPlace() bool { return e.isUnderWay || e.isTaken }
func (e entry) isWaiting() bool  { return !e.since.IsZero() && !e.holdsPlace() }

// Observe updates the board from a cached handler, and returns the handlers whose turn has
// come.
func (b *Board) Observe(h *v1.GatiHandler) []types.NamespacedName {
	b.mu.Lock()
	defer b.mu.Unlock()
	key, was := keyOf(h), b.entries[keyOf(h)]
	now := entryFor(h)
	now.isTaken = was.isTaken && was.uid == h.UID && !now.isUnderWay && h.DeletionTimestamp == nil
	if was == now {
		return nil
	}
	b.setEntry(key, now)
	return b.handlersCalled(key.Namespace)
}

// Forget drops a handler that is gone, and returns the handlers whose turn has come by that.
func (b *Board) Forget(key types.NamespacedName) []types.NamespacedName {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, known := b.entries[key]; !known {
		return nil
	}
	b.setEntry(key, entry{})
	return b.handlersCalled(key.Namespace)
}

// Look returns the bounds as they are for a handler at the moment.
func (b *Board) Look(h *v1.GatiHandler, now time.Time) *rollout.Turn {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.boundsFor(h, now)
}

// Take gives a handler a place for the rollout that it is about to begin. It returns the
// bounds where none is free any more: two reconcilers may have seen the same free place.
func (b *Board) Take(h *v1.GatiHandler, now time.Time) (refused *rollout.Turn) {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if turn := b.boundsFor(h, now); turn.Full() != nil {
		return turn
	}
	b.occupyPlace(h)
	return nil
}

// Occupy notes a rollout that begins whether or not a place is free.
func (b *Board) Occupy(h *v1.GatiHandler) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.occupyPlace(h)
}

// Release gives back a place that was taken for a rollout that has not begun, and takes a
// handler that cannot begin one out of the line: it keeps no place from those behind it. A
// change of its status lines it up again, where it was.
func (b *Board) Release(key types.NamespacedName) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.entries[key]; e.isTaken || e.isWaiting() {
		e.isTaken, e.since = false, time.Time{}
		b.setEntry(key, e)
	}
}

func (b *Board) occupyPlace(h *v1.GatiHandler) {
	e := b.entries[keyOf(h)]
	if !e.holdsPlace() || e.uid != h.UID {
		b.setEntry(keyOf(h), entry{uid: h.UID, isTaken: true})
	}
}

func (b *Board) boundsFor(h *v1.GatiHandler, now time.Time) *rollout.Turn {
	key, out := keyOf(h), &rollout.Turn{All: b.limits.All}
	if e := b.entries[key]; e.uid == h.UID && e.holdsPlace() {
		return out // It has a place already.
	}
	own := place{now, key}
	if ro := h.Status.Rollout; ro != nil && ro.QueuedAt != nil {
		own.since = ro.QueuedAt.Time
	}
	if b.limits.Namespace > 0 {
		out.Bounds = append(out.Bounds, b.scopeOf(key.Namespace).boundFor("namespace "+key.Namespace, b.limits.Namespace, own, false))
	}
	if b.limits.Cluster > 0 {
		out.Bounds = append(out.Bounds, b.cluster.boundFor("the cluster", b.limits.Cluster, own, true))
	}
	return out
}

// setEntry replaces the entry of a handler in its namespace and in the cluster.
func (b *Board) setEntry(key types.NamespacedName, now entry) {
	was, in := b.entries[key], b.scopeOf(key.Namespace)
	for _, s := range []*scope{in, b.cluster} {
		s.setRunning(key, now)
	}
	if was.isWaiting() {
		in.line.remove(place{was.since, key})
	}
	if now.isWaiting() {
		in.line.add(place{now.since, key})
	}
	b.entries[key] = now
	if now == (entry{}) {
		delete(b.entries, key)
	}
	b.offerPlaces(in, place{was.since, key}, place{now.since, key}, was, now)
	if len(in.running) == 0 && len(in.line) == 0 {
		delete(b.namespaces, key.Namespace)
	}
}

// offerPlaces lines up in the cluster those of a namespace who wait for no other handler of it:
// without a limit of its own all of them, else as many as it has free places.
func (b *Board) offerPlaces(in *scope, before, after place, was, now entry) {
	if b.limits.Cluster <= 0 {
		return
	}
	if b.limits.Namespace <= 0 {
		if was.isWaiting() {
			b.cluster.line.remove(before)
		}
		if now.isWaiting() {
			b.cluster.line.add(after)
		}
		return
	}
	for _, p := range in.offered {
		b.cluster.line.remove(p)
	}
	in.offered = append(in.offered[:0], in.line.first(b.limits.Namespace-len(in.running))...)
	for _, p := range in.offered {
		b.cluster.line.add(p)
	}
}

// handlersCalled returns the handlers whose turn it is, of those that a change in a namespace can
// have called.
func (b *Board) handlersCalled(namespace string) []types.NamespacedName {
	places := b.scopeOf(namespace).line.first(b.limits.Namespace - len(b.scopeOf(namespace).running))
	if b.limits.Cluster > 0 {
		places = b.cluster.line.first(b.limits.Cluster - len(b.cluster.running))
	}
	var out []types.NamespacedName
	for _, p := range places {
		out = append(out, p.key)
	}
	return out
}

func (b *Board) scopeOf(namespace string) *scope {
	s := b.namespaces[namespace]
	if s == nil {
		s = newScope()
		b.namespaces[namespace] = s
	}
	return s
}

func keyOf(h *v1.GatiHandler) types.NamespacedName {
	return types.NamespacedName{Namespace: h.Namespace, Name: h.Name}
}

// entryFor returns the entry for the status of a handler. A handler that is being deleted,
// or whose spec is invalid, begins no rollout, so it takes no place from others.
func entryFor(h *v1.GatiHandler) entry {
	e, ro := entry{uid: h.UID}, h.Status.Rollout
	if ro == nil || h.DeletionTimestamp != nil {
		return e
	}
	e.isUnderWay = rollout.HoldsPlace(ro)
	if e.isUnderWay {
		e.isBlocked = isBlocked(h)
		return e
	}
	if w := ro.WaitingFor; w != nil && w.Reason == v1.WaitingForTurn && ro.QueuedAt != nil && h.Status.Health != v1.Invalid {
		e.since = ro.QueuedAt.Time
	}
	return e
}

// isBlocked reports whether a rollout continues only after a user has acted.
func isBlocked(h *v1.GatiHandler) bool {
	switch h.Status.Health {
	case v1.Paused, v1.Degraded, v1.Failed, v1.Invalid, v1.RolledBack:
		return true
	default:
		return false
	}
}
