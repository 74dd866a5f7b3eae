package metaschema

import (
	"testing"

	"gati.dev/gati/internal/testing/schemas"
	"gati.dev/gati/pkg/schema"
)

// BenchmarkJudge shows what the second opinion costs beside Parse.
func BenchmarkJudge(b *testing.B) {
	for _, size := range schemas.Sizes {
		raw, _ := size.Pair()
		b.Run(size.Name+"/Parse", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := schema.Parse(raw); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(size.Name+"/Compile", func(b *testing.B) {
			b.ReportAllocs()
			s, err := schema.Parse(raw)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := Compile(s, false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
