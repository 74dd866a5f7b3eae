package metaschema

import (
	"sync"

	"gati.dev/gati/pkg/schema"
)

// A schema of 64 KiB takes tens of milliseconds to judge, and is looked at on every
// write of its handler. Once read it takes more than a megabyte, and who may write
// handlers may write many: so the memory is bounded as well as their number.
const (
	kept = 1024
	// room is in bytes, an eighth of what gati-webhook may use.
	room = 64 << 20
	// each byte of a document weighs that many, once decoded.
	each = 16
)

// memory holds the latest verdicts by their documents.
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

// weight is about how many bytes a verdict takes with its document.
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

// forget drops the oldest.
func (m *memory) forget() {
	key := m.order[0]
	m.weight -= m.verdicts[key].weight(key)
	delete(m.verdicts, key)
	m.order[0] = "" // What is left of the slice shares its array, which would keep the text.
	m.order = m.order[1:]
}
