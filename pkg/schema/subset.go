package schema

import "context"

// Answer is the answer to whether every document of one schema is one of another.
type Answer uint8

const (
	// Undecided means that neither a proof nor a counterexample was found. It counts as
	// no.
	Undecided Answer = iota
	// Yes is proven.
	Yes
	// No comes with a document that the one accepts and the other refuses.
	No
)

func (a Answer) String() string { return [...]string{"undecided", "yes", "no"}[a] }

// maxSteps bounds the work of one question; beyond it the answer is undecided. Two
// schemas of 64 KiB take some 100,000.
const maxSteps = 1_500_000

// findGaps answers whether b accepts all that a accepts, and lists where it does not.
// With declared set it ignores properties that only b names and a leaves open
// (declared.go).
func findGaps(ctx context.Context, a, b *Schema, declared bool) (Answer, []gap) {
	c := newComparer(ctx, a, b, declared)
	gaps := c.compareNode([]literal{accepts(a.root)}, b.root)
	answer := Yes
	if c.isExhausted() {
		answer = Undecided
		gaps = append(gaps, gap{keyword: keywordLimit, pointer: b.root.pointer, b: b.root, undecided: true})
	}
	final := newMeter(ctx, maxSteps/4)
	for i := range gaps {
		g := &gaps[i]
		if g.hasWitness && !final.isSeparating(a, b, g.witness) {
			g.hasWitness, g.undecided, g.witness = false, true, nil
		}
		if g.hasWitness {
			answer = No
		} else if answer == Yes {
			answer = Undecided
		}
	}
	return answer, gaps
}

// isSeparating reports whether a accepts a document that b refuses, in one reading of
// formats.
func (m *meter) isSeparating(a, b *Schema, document any) bool {
	for _, j := range formatReadings(m) {
		always, _ := m.inEveryWay(func() bool { return j.accepts(a.root, document) && !j.accepts(b.root, document) })
		if always && !m.isExhausted() {
			return true
		}
	}
	return false
}

func newComparer(ctx context.Context, a, b *Schema, declared bool) *comparer {
	m := newMeter(ctx, maxSteps)
	return &comparer{solver: newSolver(m, unknownFormatReadings(m, a, b)), compared: map[string][]gap{}, comparing: map[string]int{}, shallowestRepeat: endless, declaredOnly: declared}
}

// keywordLimit stands for a keyword where a question took too many steps.
const keywordLimit = "limit"

// Subset answers whether every document that a accepts is accepted by b. With No
// comes a document as JSON that is not, which was evaluated against both; none where the
// smallest that was found has more than 64 KiB.
func Subset(a, b *Schema) (Answer, []byte) {
	answer, gaps := findGaps(context.Background(), a, b, false)
	for _, g := range gaps {
		if raw := renderWitness(g.witness); g.hasWitness && raw != nil {
			return answer, raw
		}
	}
	return answer, nil
}

// gap is one place where b refuses what a accepts, or may refuse it.
type gap struct {
	keyword       string
	name          string // of a property, a pattern or a branch
	pointer       string // the pointer to the keyword, in b's document
	path          string // where in documents, * for any item or property
	b             *node
	a             *state  // what a guarantees there
	refusedKinds  kindSet // the kinds of the values that b refuses
	acceptedKinds kindSet // the kinds of all values that a accepts there

	variant          string // the member of a union, such as kind "card"
	isVariantRemoved bool   // no branch of b has it

	hasWitness bool // witness is a value that a accepts and b refuses
	undecided  bool
	witness    any
}

// comparer walks through b and asks the solver, keyword by keyword, whether a
// accepts what the keyword refuses. Properties and items are compared alone first:
// that is cheaper, and locates the difference.
type comparer struct {
	*solver
	compared         map[string][]gap
	comparing        map[string]int // the pairs that are being compared, and how deep
	shallowestRepeat int            // the shallowest of them that was met again
	splits           int
	// skipWitnesses finds gaps of parts without a document each, once there are enough.
	skipWitnesses bool
	// declaredOnly ignores properties that a does not declare.
	declaredOnly bool
}

// compareNode finds the gaps between values that pass the literals and a node. A
// pair that recurs inside itself adds no gaps.
func (c *comparer) compareNode(a []literal, b *node) []gap {
	if b.acceptsAll() || isImplied(a, b) {
		return nil
	}
	c.spend(1 + len(a)/4)
	key := literalsKey(a) + string(b.id[:])
	if gaps, known := c.compared[key]; known {
		return gaps
	}
	if depth, again := c.comparing[key]; again {
		c.shallowestRepeat = min(c.shallowestRepeat, depth)
		return nil
	}
	depth := len(c.comparing)
	outer := c.shallowestRepeat
	c.shallowestRepeat = endless
	c.comparing[key] = depth
	gaps := c.compareKinds(a, b)
	delete(c.comparing, key)
	if c.shallowestRepeat >= depth {
		c.compared[key] = gaps
		c.shallowestRepeat = endless
	}
	c.shallowestRepeat = min(c.shallowestRepeat, outer)
	return gaps
}

func isImplied(a []literal, b *node) bool {
	for _, l := range a {
		if !l.not && l.node.id == b.id || l.not && l.node.acceptsAll() {
			return true
		}
	}
	return false
}

func (c *comparer) compareKinds(a []literal, b *node) []gap {
	var sides []*premise
	var all kindSet
	left := kindsLeft(a)
	for k := range kindCount {
		if !left.has(k) {
			continue
		}
		st := c.newState(k, a)
		st.propagateChoices()
		if st.impossible {
			continue
		}
		all |= 1 << k
		s := &premise{st: st, goal: goal{lits: a, unknownReadings: c.unknownReadings, meter: c.meter}}
		if c.declaredOnly && k == kindObject {
			s = s.with(c.absentUndeclared(a, b))
		}
		sides = append(sides, s)
	}
	var out gapList
	for _, s := range sides {
		out.add(c.compareKind(s, b)...)
	}
	for i := range out {
		if out[i].path == "" {
			out[i].acceptedKinds |= all
		}
	}
	return out
}

// premise is a's guarantee about values of one kind.
type premise struct {
	st *state
	goal
	parts *partRules
}

func (s *premise) partRules() *partRules {
	if s.parts == nil {
		s.parts = newPartRules(s.st)
	}
	return s.parts
}

// with returns the premise with more known of the value.
func (s *premise) with(more conjunction) *premise {
	st := s.st.with(more)
	st.propagateChoices()
	g := s.goal
	g.atoms = append(g.atoms[:len(g.atoms):len(g.atoms)], more...)
	return &premise{st: st, goal: g}
}

// findWitness searches for a value of the premise that also passes atoms and
// literals.
func (c *comparer) findWitness(s *premise, more conjunction, also ...literal) result {
	g := s.goal
	g.atoms = append(g.atoms[:len(g.atoms):len(g.atoms)], more...)
	g.lits = append(g.lits[:len(g.lits):len(g.lits)], also...)
	return c.solveState(s.st.with(more), g)
}

// maxSplits is the most choices that are taken apart to locate gaps.
const maxSplits = 64

// compareKind finds the gaps of one kind. When the whole leaves gaps, each alternative
// of a's choices is compared separately.
func (c *comparer) compareKind(s *premise, b *node) []gap {
	if accepts, known := s.st.knownVerdict(b); s.st.impossible || known && accepts {
		return nil
	}
	if c.isOutOfSteps() {
		return gapsFrom(s, b, refusal{keyword: keywordLimit}, unsure)
	}
	var out gapList
	ways := listRefusals(b, s.st.kind)
	c.spend(2 * len(ways))
	for _, r := range ways {
		c.skipWitnesses = out.countWitnesses() >= maxWitnesses
		if out.add(c.compareKeyword(s, b, r)...); len(out) >= maxGaps || c.isExhausted() {
			break
		}
	}
	if len(out) == 0 || len(s.st.choices) == 0 || c.splits >= maxSplits || c.isExhausted() {
		return out
	}
	c.splits++
	rest := s.st.clone()
	choice := rest.choices[0]
	rest.choices = rest.choices[1:]
	var apart gapList
	for _, way := range choice {
		each := &premise{st: rest, goal: s.goal}
		apart.add(c.compareKind(each.with(way), b)...)
	}
	return apart
}

// gapList holds one gap for each keyword and place.
type gapList []gap

// maxGaps is the most gaps of one place, and maxWitnesses the most of them that get
// a document.
const (
	maxGaps      = 32
	maxWitnesses = 5
)

func (g gapList) countWitnesses() int {
	n := 0
	for i := range g {
		if g[i].hasWitness {
			n++
		}
	}
	return n
}

func (g *gapList) add(more ...gap) {
next:
	for _, m := range more {
		for i := range *g {
			if old := &(*g)[i]; old.keyword == m.keyword && old.name == m.name && old.pointer == m.pointer && old.path == m.path {
				old.merge(m)
				continue next
			}
		}
		if len(*g) < maxGaps {
			*g = append(*g, m)
		}
	}
}

func (g *gap) merge(m gap) {
	g.refusedKinds |= m.refusedKinds
	g.acceptedKinds |= m.acceptedKinds
	if m.hasWitness && !g.hasWitness {
		g.hasWitness, g.undecided, g.witness = true, false, m.witness
	}
}
