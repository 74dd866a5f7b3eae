package schema

import "sync"

// A schema of 64 KiB takes milliseconds to read, and is looked at on every write of its
// handler. Once read it takes more than a megabyte, and who may write handlers may write
// many: so the memory is bounded as well as the number of documents.
const (
	maxCached = 1024
	// maxCachedBytes is an eighth of what gati-webhook may use.
	maxCachedBytes = 64 << 20
	// bytesPerByte is the memory of each byte of a decoded document.
	bytesPerByte = 16
)

// Cache reads documents and remembers the latest. It returns the same schema for the
// same document. Its zero value is ready, and safe for concurrent use.
type Cache struct {
	mu     sync.Mutex
	read   map[string]reading
	order  []string // oldest first
	weight int
}

type reading struct {
	schema *Schema
	err    error
}

// weight is about how many bytes a reading takes with its document.
func (r reading) weight(raw string) int {
	if r.schema == nil {
		return 2 * len(raw)
	}
	return bytesPerByte*len(raw) + r.schema.Weight()
}

// Parse is Parse, once for each document.
func (c *Cache) Parse(raw []byte) (*Schema, error) {
	if len(raw) > MaxBytes {
		return Parse(raw) // It refuses that, and nothing so large is kept.
	}
	r, found := c.find(raw)
	if !found {
		r.schema, r.err = Parse(raw)
		c.keep(string(raw), r)
	}
	return r.schema, r.err
}

func (c *Cache) find(raw []byte) (reading, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, found := c.read[string(raw)]
	return r, found
}

func (c *Cache) keep(raw string, r reading) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.read == nil {
		c.read = make(map[string]reading, maxCached)
	}
	if _, isKept := c.read[raw]; isKept {
		return
	}
	c.read[raw] = r
	c.order = append(c.order, raw)
	for c.weight += r.weight(raw); len(c.order) > maxCached || c.weight > maxCachedBytes; {
		c.dropOldest()
	}
}

func (c *Cache) dropOldest() {
	raw := c.order[0]
	c.weight -= c.read[raw].weight(raw)
	delete(c.read, raw)
	c.order[0] = "" // What is left of the slice shares its array, which would keep the text.
	c.order = c.order[1:]
}
