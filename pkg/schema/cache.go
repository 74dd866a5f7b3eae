package schema

import "sync"

// A schema of 64 KiB takes milliseconds to parse and is used on every write of its
// handler. Parsed, it takes more than a megabyte, and one user may write many handlers.
// So both the memory and the number of documents are bounded.
const (
	maxCached = 1024
	// maxCachedBytes is an eighth of gati-webhook's memory limit.
	maxCachedBytes = 64 << 20
	// bytesPerByte is the memory of each byte of a decoded document.
	bytesPerByte = 16
)

// Cache parses documents and keeps the latest. It returns the same schema for the same
// document. Its zero value is ready to use and safe for concurrent use.
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

// memoryWeight returns the approximate memory of a cached document and its schema.
func (r reading) memoryWeight(raw string) int {
	if r.schema == nil {
		return 2 * len(raw)
	}
	return bytesPerByte*len(raw) + r.schema.Weight()
}

// Parse returns the cached schema of a document, or parses it.
func (c *Cache) Parse(raw []byte) (*Schema, error) {
	if len(raw) > MaxBytes {
		return Parse(raw) // Too long: refused, and not worth caching.
	}
	r, found := c.findReading(raw)
	if !found {
		r.schema, r.err = Parse(raw)
		c.keepReading(string(raw), r)
	}
	return r.schema, r.err
}

func (c *Cache) findReading(raw []byte) (reading, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, found := c.read[string(raw)]
	return r, found
}

func (c *Cache) keepReading(raw string, r reading) {
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
	for c.weight += r.memoryWeight(raw); len(c.order) > maxCached || c.weight > maxCachedBytes; {
		c.dropOldest()
	}
}

func (c *Cache) dropOldest() {
	raw := c.order[0]
	c.weight -= c.read[raw].memoryWeight(raw)
	delete(c.read, raw)
	c.order[0] = "" // The remaining slice shares the array, which would keep the text alive.
	c.order = c.order[1:]
}
