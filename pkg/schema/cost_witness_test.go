package schema_test

import (
	"runtime"
	"strings"
	"testing"

	"gati.dev/gati/pkg/schema"
)

// TestLargeDocumentsTakeLittle holds that a question whose smallest documents are huge keeps no
// more than 64 KiB of one, and takes no more memory than the bound of a comparison: schemas of
// a hundred bytes ask for lists of lists of long texts.
func TestLargeDocumentsTakeLittle(t *testing.T) {
	const few = `{"type":"array","maxItems":5}`
	for name, large := range map[string]string{
		"lists of five texts":      `{"type":"array","minItems":4000,"items":{"type":"array","minItems":5,"items":{"type":"string","minLength":4096}}}`,
		"lists of many texts":      `{"type":"array","minItems":4000,"items":{"type":"array","minItems":120,"items":{"type":"string","minLength":4096}}}`,
		"one text of many in each": `{"type":"array","minItems":4000,"uniqueItems":true,"items":{"type":"array","minItems":50,"items":{"type":"string","minLength":4096}}}`,
		"properties of long texts": `{"type":"array","minItems":4000,"items":{"type":"object","required":["a","b","c"],"additionalProperties":{"type":"string","minLength":4096}}}`,
	} {
		a, b := parse(t, []byte(large)), parse(t, []byte(few))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := schema.Compatibility(schema.Version{Input: a}, schema.Version{Input: b}, schema.Backward)
		runtime.ReadMemStats(&after)
		allocated, kept := int64(after.TotalAlloc-before.TotalAlloc), 0
		for _, f := range r.Findings {
			kept += len(f.Witness) + len(f.Message)
		}
		t.Logf("%s: %d MiB allocated, %d findings of %d bytes", name, allocated>>20, len(r.Findings), kept)
		if !r.Breaking || len(r.Findings) == 0 {
			t.Errorf("%s: breaks nothing, with %d findings", name, len(r.Findings))
		}
		if kept > 80<<10 || allocated > 512<<20 {
			t.Errorf("%s: %d MiB allocated, %d bytes of findings are kept", name, allocated>>20, kept)
		}
	}
	long, short := parse(t, []byte(`{"type":"string","minLength":4000}`)), parse(t, []byte(`{"type":"string","maxLength":5}`))
	if _, witness := schema.Subset(long, short); !strings.HasPrefix(string(witness), `"`) {
		t.Errorf("a document of 4,000 characters is not shown: %s", witness)
	}
}
