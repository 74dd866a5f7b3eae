package schema

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/schemas"
)

func TestCacheReturnsTheSameSchema(t *testing.T) {
	var c Cache
	for i := range maxCached + 10 {
		if _, err := c.Parse([]byte(fmt.Sprintf(`{"minLength":%d}`, i))); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.read) != maxCached || len(c.order) != maxCached {
		t.Errorf("holds %d schemas in %d places, want %d", len(c.read), len(c.order), maxCached)
	}
	first, err := c.Parse([]byte(`{"minLength":1000}`))
	again, _ := c.Parse([]byte(`{"minLength":1000}`))
	if err != nil || first != again {
		t.Errorf("%v: the same document was read twice", err)
	}
	_, err = c.Parse([]byte(`{"minLength":-1}`))
	_, errAgain := c.Parse([]byte(`{"minLength":-1}`))
	var problems Problems
	if !errors.As(err, &problems) || len(problems) != 1 || problems[0].Pointer != "/minLength" || errAgain.Error() != err.Error() {
		t.Errorf("got %v, then %v", err, errAgain)
	}
	if _, err := c.Parse(make([]byte, MaxBytes+1)); err == nil || len(c.order) != maxCached {
		t.Errorf("too large: %v, %d schemas are kept", err, len(c.order))
	}
}

// TestCacheIsBoundedByMemory checks that large documents are evicted earlier, so that
// the cache stays within gati-webhook's memory.
func TestCacheIsBoundedByMemory(t *testing.T) {
	large, _ := schemas.Sizes[len(schemas.Sizes)-1].Pair()
	var c Cache
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	const many = 100
	for i := range many {
		if _, err := c.Parse(append(bytes.Clone(large), strings.Repeat(" ", i)...)); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if len(c.order) == many || len(c.order) < many/10 || len(c.order) != len(c.read) || c.weight > maxCachedBytes {
		t.Errorf("holds %d documents of %d bytes, which count as %d", len(c.order), len(large), c.weight)
	}
	if used := int(after.HeapAlloc) - int(before.HeapAlloc); used > 2*maxCachedBytes {
		t.Errorf("takes %d bytes, want about %d", used, maxCachedBytes)
	}
	for len(c.order) > 0 {
		c.dropOldest()
	}
	if c.weight != 0 {
		t.Errorf("%d bytes are counted of nothing", c.weight)
	}
}
