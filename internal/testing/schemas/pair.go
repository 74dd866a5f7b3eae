package schemas

import (
	"encoding/json"
	"math/rand"
)

// Doc is a schema as decoded JSON.
type Doc = map[string]any

// List is an array of JSON.
type List = []any

// Pair is two schemas of which the wide one accepts all that the narrow one does,
// and more.
type Pair struct {
	Narrow, Wide any
	// Keyword is the keyword that differs.
	Keyword string
	// Context describes the surrounding schema.
	Context string
}

// Texts are the documents of the pair.
func (p Pair) Texts() (narrow, wide []byte) { return Text(p.Narrow), Text(p.Wide) }

// Text writes a document.
func Text(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is made of what JSON has
	}
	return raw
}

// step makes the smallest pair of one keyword.
type step struct {
	keyword string
	make    func(r *rand.Rand) (narrow, wide any)
}

// Core makes a pair whose difference is in the keywords that every comparison
// must decide.
func Core(r *rand.Rand) Pair { return makePair(r, core, r.Intn(len(core))) }

// More makes a pair of one of the other keywords: number i of Keywords.
func More(r *rand.Rand, i int) Pair { return makePair(r, more, i) }

// Keywords are those of More.
func Keywords() []string {
	names := make([]string, len(more))
	for i := range more {
		names[i] = more[i].keyword
	}
	return names
}

func makePair(r *rand.Rand, steps []step, i int) Pair {
	narrow, wide := steps[i].make(r)
	p := Pair{Narrow: narrow, Wide: wide, Keyword: steps[i].keyword}
	for range r.Intn(4) {
		p = embedPair(r, p)
	}
	return p
}

// addCommonFields returns two copies of fields that do not touch a keyword's own, with the
// keyword's added to each.
func addCommonFields(base Doc, narrow, wide Doc) (any, any) {
	a, b := Doc{}, Doc{}
	for k, v := range base {
		a[k], b[k] = v, v
	}
	for k, v := range narrow {
		a[k] = v
	}
	for k, v := range wide {
		b[k] = v
	}
	return a, b
}

func pickOne[T any](r *rand.Rand, of ...T) T { return of[r.Intn(len(of))] }
