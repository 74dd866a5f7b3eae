package schemas

import (
	"fmt"
	"math/rand"
	"strings"
)

// embedPair puts a pair into a place where the difference still shows.
func embedPair(r *rand.Rand, p Pair) Pair {
	contexts := []struct {
		name string
		put  func(r *rand.Rand, inner any, seed int64) any
	}{
		{"property", embedAsProperty}, {"items", embedAsItems}, {"prefixItems", embedAsPrefixItem}, {"additionalProperties", embedAsAdditional}, {"$defs", embedAsDef}, {"allOf", allOf}, {"deep", embedDeep},
	}
	c := contexts[r.Intn(len(contexts))]
	seed := r.Int63()
	p.Narrow = c.put(rand.New(rand.NewSource(seed)), p.Narrow, seed)
	p.Wide = c.put(rand.New(rand.NewSource(seed)), p.Wide, seed)
	p.Context = c.name + " " + p.Context
	return p
}

func embedAsProperty(r *rand.Rand, inner any, _ int64) any {
	s := Doc{"type": "object", "properties": Doc{"p": hoistRefs(inner, "/properties/p"), "q": makeLeaf(r)}}
	if r.Intn(2) == 0 {
		s["required"] = List{"p"}
	}
	if r.Intn(3) == 0 {
		s["additionalProperties"] = false
	}
	return s
}

func embedAsItems(r *rand.Rand, inner any, _ int64) any {
	s := Doc{"type": "array", "items": hoistRefs(inner, "/items")}
	if r.Intn(2) == 0 {
		s["minItems"] = 1 + r.Intn(2)
	}
	return s
}

func embedAsPrefixItem(r *rand.Rand, inner any, _ int64) any {
	return Doc{"type": "array", "prefixItems": List{makeLeaf(r), hoistRefs(inner, "/prefixItems/1")}}
}

func embedAsAdditional(r *rand.Rand, inner any, _ int64) any {
	return Doc{"type": "object", "properties": propsOf(r, "a"), "additionalProperties": hoistRefs(inner, "/additionalProperties")}
}

func embedAsDef(_ *rand.Rand, inner any, seed int64) any {
	name := fmt.Sprintf("d%d", seed%1000)
	return Doc{"type": "object", "properties": Doc{"x": Doc{"$ref": "#/$defs/" + name}}, "$defs": Doc{name: hoistRefs(inner, "/$defs/"+name)}}
}

// allOf puts the pair beside something that speaks of another property.
func allOf(r *rand.Rand, inner any, _ int64) any {
	return Doc{"allOf": List{
		Doc{"type": "object", "properties": Doc{"here": hoistRefs(inner, "/allOf/0/properties/here")}},
		Doc{"type": "object", "properties": propsOf(r, "other"), "required": List{"other"}},
	}}
}

func embedDeep(r *rand.Rand, inner any, seed int64) any {
	return embedAsProperty(r, Doc{"type": "array", "items": hoistRefs(inner, "/items")}, seed)
}

// hoistRefs makes the references of a schema fit when it stands below a pointer.
func hoistRefs(v any, under string) any {
	switch x := v.(type) {
	case Doc:
		out := Doc{}
		for k, y := range x {
			if text, ok := y.(string); ok && k == "$ref" {
				out[k] = "#" + under + strings.TrimPrefix(text, "#")
				continue
			}
			out[k] = hoistRefs(y, under)
		}
		return out
	case List:
		out := make(List, len(x))
		for i := range x {
			out[i] = hoistRefs(x[i], under)
		}
		return out
	}
	return v
}
