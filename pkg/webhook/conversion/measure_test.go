package conversion

import (
	"runtime"
	"strings"
	"testing"
)

// TestMeasure holds what is refused before it is decoded, and that a conversion allocates
// no more than its measure says.
func TestMeasure(t *testing.T) {
	many := func(text string, n int) string { return text + strings.Repeat(","+text, n-1) }
	handler := func(tolerations int) string {
		return `{"apiVersion":"gati.dev/v1","kind":"GatiHandler","metadata":{"name":"a"},"spec":{"path":"/a","pod":{"tolerations":[` + many("{}", tolerations) + `]}}}`
	}
	for name, tc := range map[string]struct{ review, refused string }{
		"a page of handlers":    {review("gati.dev/v1alpha1", many(handler(5), 500)), ""},
		"the most of one":       {review("gati.dev/v1alpha1", handler(500_000)), ""},
		"large ones":            {review("gati.dev/v1alpha1", many(handler(100_000), 10)), ""},
		"too much of one":       {review("gati.dev/v1alpha1", handler(700_000)), "request.objects[0].spec.pod.tolerations"},
		"too many":              {review("gati.dev/v1alpha1", many("{}", 20_000)), "request.objects[10000]: more than 10000 objects"},
		"too many values":       {review("gati.dev/v1alpha1", many(handler(250_000), 10)), "request.objects[7].spec.pod.tolerations"},
		"values beside objects": {`{"request":{"x":[` + many("{}", 700_000) + `]}}`, "request.x"},
		"no JSON":               {`{"request":`, "request: is no JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			_, memory, err := Measure([]byte(tc.review))
			if tc.refused != "" {
				if err == nil || !strings.HasPrefix(err.Error(), tc.refused) {
					t.Errorf("got %v, want an error about %s", err, tc.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			decodeReview(t, post(t, tc.review))
			runtime.ReadMemStats(&after)
			allocated := int64(after.TotalAlloc - before.TotalAlloc)
			t.Logf("%d KiB of review, %d KiB measured, %d KiB allocated", len(tc.review)>>10, memory>>10, allocated>>10)
			// Of several objects one after the other becomes garbage, and small ones cost
			// what the test reads.
			if name == "the most of one" && allocated > memory {
				t.Errorf("%d KiB were allocated, more than the %d KiB that are measured", allocated>>10, memory>>10)
			}
		})
	}
}
