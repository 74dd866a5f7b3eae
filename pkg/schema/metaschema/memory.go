package metaschema

import (
	"sync"

	"gati.dev/gati/pkg/schema"
)

// A schema of 64 KiB takes tens of milliseconds to check, and is checked on every
// write of its handler. Parsed it takes more than a megabyte, and authors may write
// many. So the memory is bounded as well as their number.
const (
	kept = 1024
	// room is in bytes: an eighth of gati-webhook's limit.
	room = 64 << 20
	// each is the memory of one byte of a document, once decoded.
	each = 16
)

// memory holds the latest verdicts by document.
type memory struct {
	mu       sync.Mutex
	verdicts map[string]verdict
	order    []string // oldest first
	weight   int
}

type verdict struct {
	schema *schema.Schema
	err    error
}

// weight returns the approximate memory of a verdict and its document.
func (v verdict) weight(raw string) int {
	if v.schema == nil {
		return 2 * len(raw)
	}
	return each*len(raw) + v.schema.Weight()
}

func (m *memory) recall(raw []byte) (verdict, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, found := m.verdicts[string(raw)]
	return v, found
}

func (m *memory) knows(raw []byte) bool {
	_, found := m.recall(raw)
	return found
}

func (m *memory) keep(raw []byte, v verdict) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.verdicts == nil {
		m.verdicts = make(map[string]verdict, kept)
	}
	key := string(raw)
	if _, again := m.verdicts[key]; again {
		return
	}
	m.verdicts[key] = v
	m.order = append(m.order, key)
	for m.weight += v.weight(key); len(m.order) > kept || m.weight > room; {
		m.forget()
	}
}

// forget drops the oldest verdict.
func (m *memory) forget() {
	key := m.order[0]
	m.weight -= m.verdicts[key].weight(key)
	delete(m.verdicts, key)
	m.order[0] = "" // What is left of the slice shares its array, which would keep the text.
	m.order = m.order[1:]
}
