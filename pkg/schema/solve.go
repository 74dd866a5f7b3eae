package schema

import (
	"bytes"
	"slices"
	"sort"
)

// verdict is the result of solving a set of literals.
type verdict uint8

const (
	unknown verdict = iota
	// impossible: no value passes them all. This is proven.
	impossible
	// possible: the value in the result passes; it was evaluated.
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

func foundValue(v any) result { return result{possible, v} }

// solver searches for values that pass literals. For each kind it collects the
// constraints in a state and takes choices apart one by one. The arithmetic of the
// kind decides what is left (numbers.go, strings.go, arrays.go, objects.go). Parts
// of values are solved recursively.
//
// A set of literals that recurs inside itself need not be solved there: the smallest
// value that passes it holds no other such value.
type solver struct {
	*meter
	solved  map[string]result
	solving map[string]int // the sets being solved, and how deep
	// shallowestRepeat is the shallowest open set that recurred since the current one
	// was opened.
	shallowestRepeat int
	anyOfNodes       map[string]*node
	// unknownReadings are the possible meanings of unknown formats.
	unknownReadings []judge
}

func newSolver(m *meter, doubts []judge) *solver {
	return &solver{meter: m, solved: map[string]result{}, solving: map[string]int{}, shallowestRepeat: endless, anyOfNodes: map[string]*node{}, unknownReadings: doubts}
}

const endless = int(^uint(0) >> 1)

// isOutOfSteps counts a step and reports whether none is left.
func (s *solver) isOutOfSteps() bool { return !s.spend(10) }

// solveLiterals searches for a value of any kind that passes the literals.
func (s *solver) solveLiterals(of []literal) result {
	s.spend(1 + len(of)/4)
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

// maxValueDepth is the deepest nesting of a value that is searched for.
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

// kindsLeft returns the kinds that the types of literals allow.
func kindsLeft(of []literal) kindSet {
	left := allKinds
	for _, l := range of {
		if !l.not {
			left &= l.node.types
		}
	}
	return left
}

// solveKind searches for a value of one kind that passes literals and atoms.
func (s *solver) solveKind(k kind, of []literal, more conjunction) result {
	st := s.newState(k, of)
	st.assumeAll(more)
	return s.solveState(st, goal{of, more, s.unknownReadings, s.meter})
}

func (s *solver) newState(k kind, of []literal) *state {
	st := &state{kind: k, meter: s.meter}
	for _, l := range of {
		st.assumeLiteral(l)
	}
	return st
}

// goal is the schema that a value must pass.
type goal struct {
	lits            []literal
	atoms           conjunction
	unknownReadings []judge
	*meter
}

// isMetBy evaluates a value in both readings of formats. Verdicts of an exhausted
// meter do not count.
func (g goal) isMetBy(v any) bool {
	met, _ := g.judgeValue(v)
	return met
}

// judgeValue reports whether a value is certain to pass, and whether it may.
func (g goal) judgeValue(v any) (met, maybe bool) {
	both := formatReadings(g.meter)
	met, maybe = g.isMetUnder(both[:], v)
	return met && !g.isExhausted(), maybe
}

// isMetUnder reports whether a value is certain to pass in one of the readings, and
// whether it may.
func (g goal) isMetUnder(readings []judge, v any) (met, maybe bool) {
	for _, j := range readings {
		always, never := g.inEveryWay(func() bool { return j.judgeLiterals(g.lits, v) && j.judgeAtoms(g.atoms, v) })
		if met, maybe = met || always, maybe || !never; met {
			break
		}
	}
	return met, maybe
}

// mayBeMetBy reports whether a value passes in one meaning of unknown formats and of
// patterns that cannot be checked.
func (g goal) mayBeMetBy(v any) bool {
	_, maybe := g.judgeValue(v)
	return maybe || g.mayBeMetByUnknown(v)
}

func (g goal) mayBeMetByUnknown(v any) bool {
	_, maybe := g.isMetUnder(g.unknownReadings, v)
	return maybe
}

// pickValue searches among an exhaustive sequence of values.
func (g goal) pickValue(values func(func(any) bool)) result {
	out := proven
	for v := range values {
		met, maybe := g.judgeValue(v)
		if met {
			return foundValue(v)
		}
		if maybe || g.mayBeMetByUnknown(v) {
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
// suffice, or by each alternative of a choice.
func (s *solver) solveState(st *state, g goal) result {
	st.propagateChoices()
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

// fewValues returns the values that a state allows, if they are few.
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

// solveChoice splits the state on a choice. A union comes first, since each of its
// members settles many others. Otherwise the choice with the fewest alternatives comes
// first.
func (s *solver) solveChoice(st *state, g goal) result {
	least, union := 0, isUnion(st.choices[0])
	for i, ways := range st.choices[1:] {
		if is := isUnion(ways); is && !union || is == union && len(ways) < len(st.choices[least]) {
			least, union = i+1, is
		}
	}
	ways := st.choices[least]
	rest := st.clone()
	rest.choices = append(rest.choices[:least:least], rest.choices[least+1:]...)
	out := proven
	for _, way := range ways {
		if s.isExhausted() {
			return unsure
		}
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

// isUnion reports whether each alternative begins with a node that accepts.
func isUnion(ways []conjunction) bool {
	return !slices.ContainsFunc(ways, func(way conjunction) bool { return way[0].op != opLiterals || way[0].lits[0].not })
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

// solveExistential handles an atom that demands a property or an item somewhere, by
// trying every place.
func (s *solver) solveExistential(st *state, g goal) (result, bool) {
	for i, a := range st.atoms {
		if a.op != opSomeProp && a.op != opSomeItem {
			continue
		}
		if a.asksUnevaluated() && len(st.choices) > 0 {
			return s.solveChoice(st, g), true // they decide what is evaluated
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

// literalsKey returns a key that is equal for equal sets of literals.
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

// enumNode returns a node that accepts some values. Where no work is left for their texts it is
// any node: no result counts then.
func (m *meter) enumNode(values []any) *node {
	for _, v := range values {
		m.spendText(v)
	}
	if m.isExhausted() {
		return alwaysNode
	}
	n := newNode("")
	n.enum = values
	n.indexValues()
	withKnownChildren.identify(n)
	return n
}

// noneOf returns a literal that excludes values.
func (s *solver) noneOf(values []any) []literal {
	if len(values) == 0 {
		return nil
	}
	return []literal{refuses(s.enumNode(values[:len(values):len(values)]))}
}

// anyOfNode returns a node that accepts what one of several does.
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
