package metaschema

import (
	"context"
	"sync"

	"gati.dev/gati/pkg/schema"
)

// Checker checks documents and remembers the results. Its zero value is ready, and
// safe for concurrent use.
type Checker struct {
	memory

	once  sync.Once
	turns chan struct{}
}

// atOnce is the most documents that are checked ahead of time in parallel; the work
// is CPU-bound.
const atOnce = 2

// Ready checks documents ahead of time, and returns an error when the context ends
// first. Started checks go on, so a later call finds their result.
func (c *Checker) Ready(ctx context.Context, documents ...[]byte) error {
	c.once.Do(func() { c.turns = make(chan struct{}, atOnce) })
	for _, raw := range documents {
		if len(raw) > schema.MaxBytes || c.knows(raw) {
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
			_, _ = c.Check(raw) // keeps the verdict
		}()
		select {
		case <-done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Check parses a document and holds it to the meta-schema. The error is a
// schema.Problems.
func (c *Checker) Check(raw []byte) (*schema.Schema, error) {
	if len(raw) > schema.MaxBytes {
		return schema.Parse(raw) // refuses it; nothing that large is kept
	}
	v, found := c.recall(raw)
	if !found {
		v.schema, v.err = judge(raw)
		c.keep(raw, v)
	}
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
