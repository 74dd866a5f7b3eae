package schema

import (
	"bytes"
	"slices"
	"sort"
)

// verdict is what the solver found of a set of literals.
type verdict uint8

const (
	unknown verdict = iota
	// none: no value passes them all. This is proven.
	impossible
	// possible: the value that comes with it passes, and was judged.
	possible
)

type result struct {
	verdict verdict
	value   any
}

var (
	proven = result{verdict: impossible}
	unsure = result{}
)

func found(v any) result { return result{possible, v} }

// solver seeks values that pass literals. For each kind it collects what the
// literals say (state), takes choices apart one by one, and decides what is left
// by the arithmetic of the kind (numbers.go, strings.go, arrays.go, objects.go).
// Parts of values are solved in turn.
//
// A set of literals that comes up again inside itself need not be solved there:
// the smallest value that passes it holds no other such value.
type solver struct {
	*meter
	memo map[string]result
	open map[string]int // the sets being solved, and how deep
	// lowest is the shallowest open set that was met again since it was asked.
	lowest int
	mixed  map[string]*node
	// doubts are what formats that nobody here knows may mean.
	doubts []judge
}

func newSolver(m *meter, doubts []judge) *solver {
	return &solver{meter: m, memo: map[string]result{}, open: map[string]int{}, lowest: endless, mixed: map[string]*node{}, doubts: doubts}
}

const endless = int(^uint(0) >> 1)

// step counts a state that is looked at, and tells whether there is no work left.
func (s *solver) step() bool { return !s.spend(10) }

// solve seeks a value of any kind that passes the literals.
func (s *solver) solve(of []lit) result {
	key := keyOf(of)
	if r, known := s.memo[key]; known {
		return r
	}
	if depth, again := s.open[key]; again {
		s.lowest = min(s.lowest, depth)
		return proven
	}
	depth := len(s.open)
	if depth > maxInside || s.step() {
		return unsure
	}
	outer := s.lowest
	s.lowest = endless
	s.open[key] = depth
	r := s.kinds(of)
	delete(s.open, key)
	if s.lowest >= depth || r.verdict == possible {
		s.memo[key] = r
		s.lowest = endless
	}
	s.lowest = min(s.lowest, outer)
	return r
}

// maxInside bounds how deep a value is followed.
const maxInside = 4 * MaxDepth

func (s *solver) kinds(of []lit) result {
	out := proven
	left := typesOf(of)
	for k := range kinds {
		if !left.has(k) {
			continue
		}
		r := s.kind(k, of, nil)
		if r.verdict == possible {
			return r
		}
		if r.verdict == unknown {
			out = r
		}
	}
	return out
}

// typesOf are the kinds that the types of literals leave.
func typesOf(of []lit) kindSet {
	left := allKinds
	for _, l := range of {
		if !l.not {
			left &= l.node.types
		}
	}
	return left
}

// kind seeks a value of one kind that passes literals and an alternative.
func (s *solver) kind(k kind, of []lit, more alt) result {
	st := s.begin(k, of)
	st.apply(more)
	return s.branch(st, goal{of, more, s.doubts, s.meter})
}

func (s *solver) begin(k kind, of []lit) *state {
	st := &state{kind: k, meter: s.meter}
	for _, l := range of {
		st.assert(l)
	}
	return st
}

// goal is what a value must pass.
type goal struct {
	lits   []lit
	atoms  alt
	doubts []judge
	*meter
}

// passes judges a value under one reading of formats or the other. What was
// judged while the meter ran out does not count.
func (g goal) passes(v any) bool {
	both := readings(g.meter)
	return g.under(both[:], v) && !g.out()
}

func (g goal) under(readings []judge, v any) bool {
	for _, j := range readings {
		if j.all(g.lits, v) && j.atoms(g.atoms, v) {
			return true
		}
	}
	return false
}

// pick looks for a value that passes among all that there are.
func (g goal) pick(values func(func(any) bool)) result {
	out := proven
	for v := range values {
		if g.passes(v) {
			return found(v)
		}
		if g.under(g.doubts, v) {
			out = unsure
		}
	}
	if g.out() {
		return unsure
	}
	return out
}

func (j judge) atoms(list []atom, v any) bool {
	for _, a := range list {
		if !j.atom(a, v) {
			return false
		}
	}
	return true
}

// branch decides a state: by its values if they are few, by its atoms if they
// are enough, or else by each way of one of its choices.
func (s *solver) branch(st *state, g goal) result {
	st.settle()
	if st.dead {
		return proven
	}
	if s.step() || st.any(func(a atom) bool { return a.op == opOpen }) {
		return unsure
	}
	if values, few := st.few(); few {
		return g.pick(slices.Values(values))
	}
	if r, existential := s.existential(st, g); existential {
		return r
	}
	r := s.leaf(st, g)
	if r.verdict != unknown || len(st.choices) == 0 {
		return r
	}
	return s.choice(st, g)
}

// few are the only values that a state leaves, if they are few.
func (st *state) few() ([]any, bool) {
	switch {
	case st.finite:
		return st.values, true
	case st.kind == kindNull:
		return []any{nil}, true
	case st.kind == kindBoolean:
		return []any{true, false}, true
	}
	return nil, false
}

// choice takes apart the choice with the fewest ways.
func (s *solver) choice(st *state, g goal) result {
	least := 0
	for i := range st.choices {
		if len(st.choices[i]) < len(st.choices[least]) {
			least = i
		}
	}
	ways := st.choices[least]
	rest := st.clone()
	rest.choices = append(rest.choices[:least:least], rest.choices[least+1:]...)
	out := proven
	for _, way := range ways {
		r := s.branch(rest.with(way), g)
		if r.verdict == possible {
			return r
		}
		if r.verdict == unknown {
			out = r
		}
	}
	return out
}

func (s *solver) leaf(st *state, g goal) result {
	switch st.kind {
	case kindInteger, kindFraction:
		return numberLeaf(st, g)
	case kindString:
		return stringLeaf(st, g)
	case kindArray:
		return s.arrayLeaf(st, g)
	}
	return s.objectLeaf(st, g)
}

// existential places what some property or item must be, if there is such an
// atom, in every place where it can be.
func (s *solver) existential(st *state, g goal) (result, bool) {
	for i, a := range st.atoms {
		if a.op != opSomeProp && a.op != opSomeItem {
			continue
		}
		if a.unseen() && len(st.choices) > 0 {
			return s.choice(st, g), true // they tell what has been seen
		}
		rest := st.clone()
		rest.atoms = append(rest.atoms[:i:i], rest.atoms[i+1:]...)
		if a.op == opSomeProp {
			return s.someProp(rest, a, g), true
		}
		return s.someItem(rest, a, g), true
	}
	return result{}, false
}

// keyOf names a set of literals.
func keyOf(of []lit) string {
	if len(of) == 1 {
		return string(appendLit(nil, of[0]))
	}
	texts := make([][]byte, len(of))
	for i, l := range of {
		texts[i] = appendLit(nil, l)
	}
	sort.Slice(texts, func(i, j int) bool { return bytes.Compare(texts[i], texts[j]) < 0 })
	var out []byte
	for i := range texts {
		if i == 0 || !bytes.Equal(texts[i], texts[i-1]) {
			out = append(out, texts[i]...)
		}
	}
	return string(out)
}

func appendLit(to []byte, l lit) []byte {
	to = append(to, l.node.id[:]...)
	if l.not {
		return append(to, '-')
	}
	return append(to, '+')
}

// constant is a node that accepts one value.
func (s *solver) constant(v any) *node {
	n := blank("")
	n.values = []any{v}
	nameless.of(n)
	return n
}

// other says that a value is none of some.
func (s *solver) other(values []any) []lit {
	if len(values) == 0 {
		return nil
	}
	n := blank("")
	n.values = values[:len(values):len(values)]
	n.indexed()
	s.spend(len(values))
	nameless.of(n)
	return []lit{isNot(n)}
}

// either is a node that accepts what one of several does.
func (s *solver) either(list []*node) *node {
	if len(list) == 1 {
		return list[0]
	}
	var key []byte
	for _, n := range list {
		key = append(key, n.id[:]...)
	}
	if n := s.mixed[string(key)]; n != nil {
		return n
	}
	n := blank("")
	n.anyOf = list
	nameless.of(n)
	s.mixed[string(key)] = n
	return n
}
