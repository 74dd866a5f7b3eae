package helm

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// memory has the releases as they were written last. After a restart each is read once.
type memory struct {
	mu       sync.Mutex
	releases map[types.UID]state
}

// state is the last known state of a release. The zero state means that it was not read.
type state struct {
	// hash is that of the chart, revision the release's number.
	hash     string
	revision int
	// isFailed is set where objects of it could not be written.
	isFailed bool
	// failure is why the release could not be written, again when it is tried again.
	failure error
	again   time.Time
}

func newMemory() *memory { return &memory{releases: map[types.UID]state{}} }

func (m *memory) recallState(owner types.UID) state {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.releases[owner]
}

func (m *memory) noteState(owner types.UID, s state) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.releases[owner] = s
}

func (m *memory) forgetOwner(owner types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.releases, owner)
}
