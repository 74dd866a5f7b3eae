package metaschema

import (
	"context"
	"crypto/sha256"
	"sync"

	"gati.dev/gati/pkg/schema"
)

// kept is how many verdicts a Checker holds. A schema of 64 KiB takes tens of
// milliseconds to judge, and is looked at on every write of its handler.
const kept = 1024

// Checker judges documents and remembers what it said. Its zero value is ready,
// and safe for concurrent use.
type Checker struct {
	mu       sync.Mutex
	verdicts map[[sha256.Size]byte]verdict
	order    [][sha256.Size]byte // oldest first

	once  sync.Once
	turns chan struct{}
}

// atOnce is how many documents are judged ahead of time side by side, which is
// work for the processor alone.
const atOnce = 2

// Ready judges documents before they are asked for, and returns an error when the
// context is over first. What was begun goes on: whoever asks again is answered.
func (c *Checker) Ready(ctx context.Context, documents ...[]byte) error {
	c.once.Do(func() { c.turns = make(chan struct{}, atOnce) })
	for _, raw := range documents {
		if len(raw) > schema.MaxBytes || c.knows(sha256.Sum256(raw)) {
			continue
		}
		select {
		case c.turns <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		done := make(chan struct{})
		go func() {
			defer func() { <-c.turns; close(done) }()
			_, _ = c.Check(raw) // It is remembered.
		}()
		select {
		case <-done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (c *Checker) knows(key [sha256.Size]byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, found := c.verdicts[key]
	return found
}

type verdict struct {
	schema *schema.Schema
	err    error
}

// Check reads a document and holds it to the meta-schema. The error is a
// schema.Problems.
func (c *Checker) Check(raw []byte) (*schema.Schema, error) {
	if len(raw) > schema.MaxBytes {
		return schema.Parse(raw) // says so; nothing that large is hashed
	}
	key := sha256.Sum256(raw)
	c.mu.Lock()
	v, found := c.verdicts[key]
	c.mu.Unlock()
	if found {
		return v.schema, v.err
	}
	v.schema, v.err = judge(raw)
	c.keep(key, v)
	return v.schema, v.err
}

func judge(raw []byte) (*schema.Schema, error) {
	s, err := schema.Parse(raw)
	if err != nil {
		return nil, err
	}
	if _, err := Compile(s, false); err != nil {
		return nil, err
	}
	return s, nil
}

func (c *Checker) keep(key [sha256.Size]byte, v verdict) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.verdicts == nil {
		c.verdicts = make(map[[sha256.Size]byte]verdict, kept)
	}
	if _, again := c.verdicts[key]; again {
		return
	}
	if len(c.order) == kept {
		delete(c.verdicts, c.order[0])
		c.order = c.order[1:]
	}
	c.verdicts[key] = v
	c.order = append(c.order, key)
}
