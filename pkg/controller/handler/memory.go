package handler

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// memory has what a reconciler remembers of its own writes of each handler. Losing it with
// the process costs one write of the status.
type memory struct {
	mu sync.Mutex
	of map[types.NamespacedName]writes
}

// writes are those of one handler.
type writes struct {
	uid types.UID
	// status is when the status was last written, version the resourceVersion since then,
	// and route the generation that the route has since.
	status  time.Time
	version string
	route   int64
	// putOff is since when a change of the status waits for others; zero where none does.
	putOff time.Time
}

// recallWrites returns the remembered writes of a handler, not those of an earlier handler
// with its name.
func (m *memory) recallWrites(h *v1.GatiHandler) writes {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.of[client.ObjectKeyFromObject(h)]; known.uid == h.UID {
		return known
	}
	return writes{uid: h.UID}
}

// maxBehind bounds how long a cache is waited for: a cluster that was restored from a backup
// counts its resourceVersions from an earlier one.
const maxBehind = 5 * time.Second

// isBehind reports whether a handler of the cache is older than our own last write of it. What
// follows from it would be refused; the event of that write comes.
func (m *memory) isBehind(h *v1.GatiHandler, now time.Time) bool {
	known := m.recallWrites(h)
	if known.version == "" || now.Sub(known.status) > maxBehind {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(h.ResourceVersion, known.version)
	return err == nil && order < 0
}

// noteStatus remembers when the status was written.
func (m *memory) noteStatus(h *v1.GatiHandler, at time.Time) {
	m.noteWrites(h, func(w *writes) { w.status, w.version, w.putOff = at, h.ResourceVersion, time.Time{} })
}

// notePutOff remembers that a change of the status waits for others, and returns since when.
func (m *memory) notePutOff(h *v1.GatiHandler, now time.Time) time.Time {
	since := m.recallWrites(h).putOff
	if since.IsZero() {
		since = now
		m.noteWrites(h, func(w *writes) { w.putOff = now })
	}
	return since
}

// noteWhole remembers that the status says all there is to say.
func (m *memory) noteWhole(h *v1.GatiHandler) {
	if !m.recallWrites(h).putOff.IsZero() {
		m.noteWrites(h, func(w *writes) { w.putOff = time.Time{} })
	}
}

// noteRoute remembers the generation of the route that was written: the gateway's status
// for an earlier generation is not about these weights, though the cache may still show it.
func (m *memory) noteRoute(h *v1.GatiHandler, generation int64) {
	if m.recallWrites(h).route != generation {
		m.noteWrites(h, func(w *writes) { w.route = generation })
	}
}

func (m *memory) noteWrites(h *v1.GatiHandler, change func(*writes)) {
	known := m.recallWrites(h)
	change(&known)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == nil {
		m.of = map[types.NamespacedName]writes{}
	}
	m.of[client.ObjectKeyFromObject(h)] = known
}

// forgetHandler drops the writes of a deleted handler.
func (m *memory) forgetHandler(name types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.of, name)
}
