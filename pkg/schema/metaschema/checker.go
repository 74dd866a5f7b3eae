package metaschema

import (
	"context"
	"sync"

	"gati.dev/gati/pkg/schema"
)

// Checker judges documents and remembers what it said. Its zero value is ready,
// and safe for concurrent use.
type Checker struct {
	memory

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

// Check reads a document and holds it to the meta-schema. The error is a
// schema.Problems.
func (c *Checker) Check(raw []byte) (*schema.Schema, error) {
	if len(raw) > schema.MaxBytes {
		return schema.Parse(raw) // says so; nothing that large is kept
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
