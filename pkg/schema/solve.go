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
	solved  map[string]result
	solving map[string]int // the sets being solved, and how deep
	// shallowestRepeat is the shallowest open set that was met again since it was asked.
	shallowestRepeat int
	anyOfNodes       map[string]*node
	// unknownReadings are what formats that nobody here knows may mean.
	unknownReadings []judge
}

func newSolver(m *meter, doubts []judge) *solver {
	return &solver{meter: m, solved: map[string]result{}, solving: map[string]int{}, shallowestRepeat: endless, anyOfNodes: map[string]*node{}, unknownReadings: doubts}
}

const endless = int(^uint(0) >> 1)

// isOutOfSteps counts a state that is looked at, and tells whether there is no work left.
func (s *solver) isOutOfSteps() bool { return !s.spend(10) }

// solve seeks a value of any kind that passes the literals.
func (s *solver) solve(of []literal) result {
	key := literalsKey(of)
	if r, known := s.solved[key]; known {
		return r
	}
	if depth, again := s.solving[key]; again {
		s.shallowestRepeat = min(s.shallowestRepeat, depth)
		return proven
	}
	depth := len(s.solving)
	if depth > maxValueDepth || s.isOutOfSteps() {
		return unsure
	}
	outer := s.shallowestRepeat
	s.shallowestRepeat = endless
	s.solving[key] = depth
	r := s.solveKinds(of)
	delete(s.solving, key)
	if s.shallowestRepeat >= depth || r.verdict == possible {
		s.solved[key] = r
		s.shallowestRepeat = endless
	}
	s.shallowestRepeat = min(s.shallowestRepeat, outer)
	return r
}

// maxValueDepth bounds how deep a value is followed.
const maxValueDepth = 4 * MaxDepth

func (s *solver) solveKinds(of []literal) result {
	out := proven
	left := kindsLeft(of)
	for k := range kindCount {
		if !left.has(k) {
			continue
		}
		r := s.solveKind(k, of, nil)
		if r.verdict == possible {
			return r
		}
		if r.verdict == unknown {
			out = r
		}
	}
	return out
}

// kindsLeft are the kinds that the types of literals leave.
func kindsLeft(of []literal) kindSet {
	left := allKinds
	for _, l := range of {
		if !l.not {
			left &= l.node.types
		}
	}
	return left
}

// solveKind seeks a value of one kind that passes literals and an alternative.
func (s *solver) solveKind(k kind, of []literal, more conjunction) result {
	st := s.newState(k, of)
	st.assumeAll(more)
	return s.solveState(st, goal{of, more, s.unknownReadings, s.meter})
}

func (s *solver) newState(k kind, of []literal) *state {
	st := &state{kind: k, meter: s.meter}
	for _, l := range of {
		st.assume(l)
	}
	return st
}

// goal is what a value must pass.
type goal struct {
	lits            []literal
	atoms           conjunction
	unknownReadings []judge
	*meter
}

// isMetBy judges a value under one reading of formats or the other. What was
// judged while the meter ran out does not count.
func (g goal) isMetBy(v any) bool {
	both := formatReadings(g.meter)
	return g.isMetUnder(both[:], v) && !g.isExhausted()
}

func (g goal) isMetUnder(readings []judge, v any) bool {
	for _, j := range readings {
		if j.judgeLiterals(g.lits, v) && j.judgeAtoms(g.atoms, v) {
			return true
		}
	}
	return false
}

// pickValue looks for a value that passes among all that there are.
func (g goal) pickValue(values func(func(any) bool)) result {
	out := proven
	for v := range values {
		if g.isMetBy(v) {
			return found(v)
		}
		if g.isMetUnder(g.unknownReadings, v) {
			out = unsure
		}
	}
	if g.isExhausted() {
		return unsure
	}
	return out
}

func (j judge) judgeAtoms(list []atom, v any) bool {
	for _, a := range list {
		if !j.judgeAtom(a, v) {
			return false
		}
	}
	return true
}

// solveState decides a state: by its values if they are few, by its atoms if they
// are enough, or else by each way of one of its choices.
func (s *solver) solveState(st *state, g goal) result {
	st.propagate()
	if st.impossible {
		return proven
	}
	if s.isOutOfSteps() || st.hasAtom(func(a atom) bool { return a.op == opUndecidable }) {
		return unsure
	}
	if values, few := st.fewValues(); few {
		return g.pickValue(slices.Values(values))
	}
	if r, existential := s.solveExistential(st, g); existential {
		return r
	}
	r := s.solveAtoms(st, g)
	if r.verdict != unknown || len(st.choices) == 0 {
		return r
	}
	return s.solveChoice(st, g)
}

// fewValues are the only values that a state leaves, if they are few.
func (st *state) fewValues() ([]any, bool) {
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

// solveChoice takes apart the choice with the fewest ways.
func (s *solver) solveChoice(st *state, g goal) result {
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
		r := s.solveState(rest.with(way), g)
		if r.verdict == possible {
			return r
		}
		if r.verdict == unknown {
			out = r
		}
	}
	return out
}

func (s *solver) solveAtoms(st *state, g goal) result {
	switch st.kind {
	case kindInteger, kindFraction:
		return solveNumber(st, g)
	case kindString:
		return solveString(st, g)
	case kindArray:
		return s.solveArray(st, g)
	}
	return s.solveObject(st, g)
}

// solveExistential places what some property or item must be, if there is such an
// atom, in every place where it can be.
func (s *solver) solveExistential(st *state, g goal) (result, bool) {
	for i, a := range st.atoms {
		if a.op != opSomeProp && a.op != opSomeItem {
			continue
		}
		if a.asksUnevaluated() && len(st.choices) > 0 {
			return s.solveChoice(st, g), true // they tell what has been seen
		}
		rest := st.clone()
		rest.atoms = append(rest.atoms[:i:i], rest.atoms[i+1:]...)
		if a.op == opSomeProp {
			return s.placeProp(rest, a, g), true
		}
		return s.placeItem(rest, a, g), true
	}
	return result{}, false
}

// literalsKey names a set of literals.
func literalsKey(of []literal) string {
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

func appendLit(to []byte, l literal) []byte {
	to = append(to, l.node.id[:]...)
	if l.not {
		return append(to, '-')
	}
	return append(to, '+')
}

// constNode is a node that accepts one value.
func (s *solver) constNode(v any) *node {
	n := newNode("")
	n.enum = []any{v}
	withKnownChildren.identify(n)
	return n
}

// noneOf says that a value is none of some.
func (s *solver) noneOf(values []any) []literal {
	if len(values) == 0 {
		return nil
	}
	n := newNode("")
	n.enum = values[:len(values):len(values)]
	n.indexValues()
	s.spend(len(values))
	withKnownChildren.identify(n)
	return []literal{refuses(n)}
}

// anyOfNode is a node that accepts what one of several does.
func (s *solver) anyOfNode(list []*node) *node {
	if len(list) == 1 {
		return list[0]
	}
	var key []byte
	for _, n := range list {
		key = append(key, n.id[:]...)
	}
	if n := s.anyOfNodes[string(key)]; n != nil {
		return n
	}
	n := newNode("")
	n.anyOf = list
	withKnownChildren.identify(n)
	s.anyOfNodes[string(key)] = n
	return n
}
