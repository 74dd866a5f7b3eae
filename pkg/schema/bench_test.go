package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/schemas"
	"gati.dev/gati/pkg/schema"
)

// BenchmarkSubset compares a schema with one that narrows a property. The schemas are
// parsed beforehand, as at admission. The bars are 100 µs for a small schema and 5 ms
// for one of 64 KiB; test/programs/schemadiff runs oasdiff on the same pairs.
func BenchmarkSubset(b *testing.B) {
	for _, size := range schemas.Sizes {
		old, new := size.Pair()
		x, y := parse(b, old), parse(b, new)
		for name, q := range map[string][2]*schema.Schema{"keeps": {y, x}, "breaks": {x, y}} {
			b.Run(fmt.Sprintf("%s/%s", strings.ReplaceAll(size.Name, " ", "_"), name), func(b *testing.B) {
				for b.Loop() {
					schema.Subset(q[0], q[1])
				}
			})
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for _, size := range schemas.Sizes {
		raw, _ := size.Pair()
		b.Run(strings.ReplaceAll(size.Name, " ", "_"), func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				if _, err := schema.Parse(raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
