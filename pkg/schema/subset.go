package schema

// Answer is that to whether every document of one schema is one of another.
type Answer uint8

const (
	// Undecided means that neither a proof nor a counterexample was found. It counts
	// as no.
	Undecided Answer = iota
	// Yes is proven.
	Yes
	// No comes with a document that the one accepts and the other refuses.
	No
)

func (a Answer) String() string { return [...]string{"undecided", "yes", "no"}[a] }

// maxSteps is how much work one question may take. What is left then is
// undecided. Two schemas of 64 KiB take some 100,000.
const maxSteps = 1_500_000

// subset answers whether b accepts all that a accepts, and where it does not. With
// declared set, it asks only of documents without properties that b names and a
// leaves open (declared.go).
func subset(a, b *Schema, declared bool) (Answer, []gap) {
	c := newComparer(a, b, declared)
	gaps := c.compareNode([]literal{accepts(a.root)}, b.root)
	answer := Yes
	if c.isExhausted() {
		answer = Undecided
		gaps = append(gaps, gap{keyword: keywordLimit, pointer: b.root.pointer, b: b.root, undecided: true})
	}
	for _, g := range gaps {
		if g.hasWitness {
			return No, gaps
		}
		answer = Undecided
	}
	return answer, gaps
}

func newComparer(a, b *Schema, declared bool) *comparer {
	m := &meter{remaining: maxSteps}
	return &comparer{solver: newSolver(m, unknownFormatReadings(m, a, b)), compared: map[string][]gap{}, comparing: map[string]int{}, shallowestRepeat: endless, declaredOnly: declared}
}

// keywordLimit stands for a keyword where a question took too many steps.
const keywordLimit = "limit"

// Subset answers whether every document that a accepts is accepted by b. With no
// comes such a document as JSON, which both have judged.
func Subset(a, b *Schema) (Answer, []byte) {
	answer, gaps := subset(a, b, false)
	for _, g := range gaps {
		if g.hasWitness {
			return answer, renderJSON(g.witness)
		}
	}
	return answer, nil
}

// gap is one place where b refuses what a accepts, or may.
type gap struct {
	keyword       string
	name          string // of a property, a pattern or a branch
	pointer       string // the pointer to the keyword, in b's document
	path          string // where in documents, * for any item or property
	b             *node
	a             *state  // what a says there
	refusedKinds  kindSet // the kinds of the values that b refuses
	acceptedKinds kindSet // the kinds of all values that a accepts there

	hasWitness bool // witness is a value that a accepts and b refuses
	undecided  bool
	witness    any
}

// comparer walks through b and asks the solver, keyword by keyword, whether a
// accepts what the keyword refuses. Where it goes into properties and items it
// compares those alone first: that is cheaper, and tells the place.
type comparer struct {
	*solver
	compared         map[string][]gap
	comparing        map[string]int // the pairs that are being compared, and how deep
	shallowestRepeat int            // the shallowest of them that was met again
	splits           int
	// skipWitnesses leaves the gaps of parts without a document: there are enough.
	skipWitnesses bool
	// declaredOnly leaves out properties that a does not declare.
	declaredOnly bool
}

// compareNode finds the gaps between what passes the literals and a node. A pair that
// comes up again inside itself has no gaps but those that it has itself.
func (c *comparer) compareNode(a []literal, b *node) []gap {
	if b.acceptsAll() || isImplied(a, b) {
		return nil
	}
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
		st.propagate()
		if st.impossible {
			continue
		}
		all |= 1 << k
		s := &premise{st: st, goal: goal{lits: a, unknownReadings: c.unknownReadings, meter: c.meter}}
		if c.declaredOnly && k == kindObject {
			s = s.with(absentUndeclared(a, b))
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

// premise is what a says of values of one kind.
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

// with is the side with more known of the value.
func (s *premise) with(more conjunction) *premise {
	st := s.st.with(more)
	st.propagate()
	g := s.goal
	g.atoms = append(g.atoms[:len(g.atoms):len(g.atoms)], more...)
	return &premise{st: st, goal: g}
}

// findWitness seeks a value of the side that also passes an alternative and literals.
func (c *comparer) findWitness(s *premise, more conjunction, also ...literal) result {
	g := s.goal
	g.atoms = append(g.atoms[:len(g.atoms):len(g.atoms)], more...)
	g.lits = append(g.lits[:len(g.lits):len(g.lits)], also...)
	return c.solveState(s.st.with(more), g)
}

// maxSplits is how many choices are taken apart to tell places apart.
const maxSplits = 64

// compareKind finds those of one kind. If a leaves choices open, each way is looked at
// by itself when the whole leaves gaps.
func (c *comparer) compareKind(s *premise, b *node) []gap {
	if accepts, known := s.st.knownVerdict(b); s.st.impossible || known && accepts {
		return nil
	}
	if c.isOutOfSteps() {
		return gapsFrom(s, b, refusal{keyword: keywordLimit}, unsure)
	}
	var out gapList
	ways := refusals(b, s.st.kind)
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

// gapList are kept once for each keyword and place.
type gapList []gap

// maxGaps bounds how many are kept of one place, and maxShown how many of them
// are sought a document for.
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
