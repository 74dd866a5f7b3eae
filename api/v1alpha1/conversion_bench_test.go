package v1alpha1

import (
	"fmt"
	"testing"
)

// BenchmarkConversion500 converts 500 handlers with carried fields, like one list
// request, in either direction.
func BenchmarkConversion500(b *testing.B) {
	const count = 500
	newer, older := make([]map[string]any, count), make([]map[string]any, count)
	for i := range count {
		newer[i] = object(b, "gati.dev/v1", "GatiHandler", fmt.Sprintf(`{"metadata":{"name":"handler-%d"},"spec":{"path":"/users/:id","version":"v1.0.%d",
			"env":[{"name":"B","value":"2"},{"name":"A","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}],
			"rollout":{"strategy":"Canary","steps":[{"weight":10,"pause":"5m"},{"weight":100}]},`+handlerDefaultsJSON[:len(handlerDefaultsJSON)-1]+`},
			"schema":{"input":{"type":"object","properties":{"id":{"type":"string","maxLength":64}}}}}}`, i, i))
		var err error
		if older[i], err = FromV1(newer[i]); err != nil {
			b.Fatal(err)
		}
	}
	for name, step := range map[string]struct {
		convert func(map[string]any) (map[string]any, error)
		objects []map[string]any
	}{"FromV1": {FromV1, newer}, "ToV1": {ToV1, older}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, obj := range step.objects {
					if _, err := step.convert(obj); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
