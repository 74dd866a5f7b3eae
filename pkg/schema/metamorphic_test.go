package schema_test

import (
	"fmt"
	"math/rand"
	"testing"

	"gati.dev/gati/internal/testing/schemas"
	"gati.dev/gati/pkg/schema"
)

// rewrites turn a schema into an equivalent one.
var rewrites = map[string]func(s any) any{
	"the order of keys": func(s any) any { return schemas.Copy(s) },
	"allOf of itself": func(s any) any {
		return inDefs(s, func(inner any) schemas.Doc { return schemas.Doc{"allOf": schemas.List{inner, inner}} })
	},
	"allOf, split": split,
	"by reference": func(s any) any { return byReference(s) },
	"anyOf of itself": func(s any) any {
		return inDefs(s, func(inner any) schemas.Doc { return schemas.Doc{"anyOf": schemas.List{inner, false}} })
	},
}

// inDefs wraps a schema and leaves its definitions where they are.
func inDefs(s any, wrap func(any) schemas.Doc) any {
	doc, ok := s.(schemas.Doc)
	if !ok {
		return wrap(s)
	}
	inner := schemas.Copy(doc).(schemas.Doc)
	defs := inner["$defs"]
	delete(inner, "$defs")
	out := wrap(inner)
	if defs != nil {
		out["$defs"] = defs
	}
	return out
}

func byReference(s any) any {
	return inDefs(s, func(inner any) schemas.Doc {
		return schemas.Doc{"$ref": "#/$comment2", "$comment2": inner}
	})
}

// split puts types into a branch of their own.
func split(s any) any {
	return inDefs(s, func(inner any) schemas.Doc {
		doc, ok := inner.(schemas.Doc)
		if !ok || doc["type"] == nil {
			return schemas.Doc{"allOf": schemas.List{inner}}
		}
		rest := schemas.Copy(doc).(schemas.Doc)
		delete(rest, "type")
		return schemas.Doc{"allOf": schemas.List{schemas.Doc{"type": doc["type"]}, rest}}
	})
}

// TestMetamorphic checks that an equivalent schema never turns a yes into a no, or a no
// into a yes.
func TestMetamorphic(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	undecided := 0
	for range 600 {
		x, y := freePair(r)
		a, errA := schema.Parse(schemas.Text(x))
		b, errB := schema.Parse(schemas.Text(y))
		if errA != nil || errB != nil {
			continue
		}
		if got, _ := schema.Subset(a, a); got != schema.Yes {
			t.Fatalf("%s is %v for itself", schemas.Text(x), got)
		}
		want, _ := schema.Subset(a, b)
		for name, rewrite := range rewrites {
			c, d := parse(t, schemas.Text(rewrite(x))), parse(t, schemas.Text(rewrite(y)))
			for i, got := range []schema.Answer{answer(c, b), answer(a, d), answer(c, d)} {
				if got == schema.Undecided || want == schema.Undecided {
					undecided++
				} else if got != want {
					t.Fatalf("%s, %d: %v became %v:\n%s\n%s", name, i, want, got, schemas.Text(x), schemas.Text(y))
				}
			}
		}
	}
	t.Logf("%d undecided", undecided)
}

func answer(a, b *schema.Schema) schema.Answer {
	got, _ := schema.Subset(a, b)
	return got
}

// TestTransitive checks that the answer yes is transitive.
func TestTransitive(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	chains := 0
	for range 4000 {
		x, y := freePair(r)
		z := schemas.Related(r, y)
		var parsed [3]*schema.Schema
		ok := true
		for i, s := range []any{x, y, z} {
			var err error
			parsed[i], err = schema.Parse(schemas.Text(s))
			ok = ok && err == nil
		}
		if !ok || answer(parsed[0], parsed[1]) != schema.Yes || answer(parsed[1], parsed[2]) != schema.Yes {
			continue
		}
		chains++
		if got, witness := schema.Subset(parsed[0], parsed[2]); got == schema.No {
			t.Fatalf("a ⊆ b ⊆ c, but %s is of a and not of c:\n%s\n%s\n%s", witness, schemas.Text(x), schemas.Text(y), schemas.Text(z))
		}
	}
	if t.Logf("%d chains", chains); chains < 200 {
		t.Error("too few chains to tell")
	}
}

// TestConcurrent checks that parsed schemas can be used concurrently.
func TestConcurrent(t *testing.T) {
	s := parse(t, []byte(`{"type":"object","properties":{"a":{"enum":[`+numbers(40)+`]},"n":{"$ref":"#"}}}`))
	done := make(chan schema.Answer)
	for range 8 {
		go func() { done <- answer(s, parse(t, []byte(`{"type":["object","null"]}`))) }()
	}
	for range 8 {
		if got := <-done; got != schema.Yes {
			t.Errorf("got %v", got)
		}
	}
}

func numbers(n int) string {
	text := "0"
	for i := 1; i < n; i++ {
		text += fmt.Sprintf(",%d", i)
	}
	return text
}
