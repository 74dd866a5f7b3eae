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
	gaps := c.compare([]lit{is(a.root)}, b.root)
	answer := Yes
	if c.out() {
		answer = Undecided
		gaps = append(gaps, gap{keyword: exhausted, at: b.root.at, b: b.root, undecided: true})
	}
	for _, g := range gaps {
		if g.shown {
			return No, gaps
		}
		answer = Undecided
	}
	return answer, gaps
}

func newComparer(a, b *Schema, declared bool) *comparer {
	m := &meter{left: maxSteps}
	return &comparer{solver: newSolver(m, readingsOf(m, a, b)), known: map[string][]gap{}, asked: map[string]int{}, lowest: endless, declared: declared}
}

// exhausted stands for a keyword where a question took too many steps.
const exhausted = "limit"

// Subset answers whether every document that a accepts is accepted by b. With no
// comes such a document as JSON, which both have judged.
func Subset(a, b *Schema) (Answer, []byte) {
	answer, gaps := subset(a, b, false)
	for _, g := range gaps {
		if g.shown {
			return answer, render(g.witness)
		}
	}
	return answer, nil
}

// gap is one place where b refuses what a accepts, or may.
type gap struct {
	keyword string
	name    string // of a property, a pattern or a branch
	at      string // the pointer to the keyword, in b's document
	path    string // where in documents, * for any item or property
	b       *node
	a       *state  // what a says there
	kinds   kindSet // the kinds of the values that b refuses
	all     kindSet // the kinds of all values that a accepts there

	shown     bool // witness is a value that a accepts and b refuses
	undecided bool
	witness   any
}

// comparer walks through b and asks the solver, keyword by keyword, whether a
// accepts what the keyword refuses. Where it goes into properties and items it
// compares those alone first: that is cheaper, and tells the place.
type comparer struct {
	*solver
	known  map[string][]gap
	asked  map[string]int // the pairs that are being compared, and how deep
	lowest int            // the shallowest of them that was met again
	splits int
	// brief leaves the gaps of parts without a document: there are enough.
	brief bool
	// declared leaves out properties that a does not declare.
	declared bool
}

// compare finds the gaps between what passes the literals and a node. A pair that
// comes up again inside itself has no gaps but those that it has itself.
func (c *comparer) compare(a []lit, b *node) []gap {
	if b.always() || holdsAlready(a, b) {
		return nil
	}
	key := keyOf(a) + string(b.id[:])
	if gaps, known := c.known[key]; known {
		return gaps
	}
	if depth, again := c.asked[key]; again {
		c.lowest = min(c.lowest, depth)
		return nil
	}
	depth := len(c.asked)
	outer := c.lowest
	c.lowest = endless
	c.asked[key] = depth
	gaps := c.kindsOf(a, b)
	delete(c.asked, key)
	if c.lowest >= depth {
		c.known[key] = gaps
		c.lowest = endless
	}
	c.lowest = min(c.lowest, outer)
	return gaps
}

func holdsAlready(a []lit, b *node) bool {
	for _, l := range a {
		if !l.not && l.node.id == b.id || l.not && l.node.always() {
			return true
		}
	}
	return false
}

func (c *comparer) kindsOf(a []lit, b *node) []gap {
	var sides []*side
	var all kindSet
	left := typesOf(a)
	for k := range kinds {
		if !left.has(k) {
			continue
		}
		st := c.begin(k, a)
		st.settle()
		if st.dead {
			continue
		}
		all |= 1 << k
		s := &side{st: st, goal: goal{lits: a, doubts: c.doubts, meter: c.meter}}
		if c.declared && k == kindObject {
			s = s.with(undeclared(a, b))
		}
		sides = append(sides, s)
	}
	var out gaps
	for _, s := range sides {
		out.add(c.gaps(s, b)...)
	}
	for i := range out {
		if out[i].path == "" {
			out[i].all |= all
		}
	}
	return out
}

// side is what a says of values of one kind.
type side struct {
	st *state
	goal
	sorted *rules
}

func (s *side) rules() *rules {
	if s.sorted == nil {
		s.sorted = rulesOf(s.st)
	}
	return s.sorted
}

// with is the side with more known of the value.
func (s *side) with(more alt) *side {
	st := s.st.with(more)
	st.settle()
	g := s.goal
	g.atoms = append(g.atoms[:len(g.atoms):len(g.atoms)], more...)
	return &side{st: st, goal: g}
}

// seek seeks a value of the side that also passes an alternative and literals.
func (c *comparer) seek(s *side, more alt, also ...lit) result {
	g := s.goal
	g.atoms = append(g.atoms[:len(g.atoms):len(g.atoms)], more...)
	g.lits = append(g.lits[:len(g.lits):len(g.lits)], also...)
	return c.branch(s.st.with(more), g)
}

// maxSplits is how many choices are taken apart to tell places apart.
const maxSplits = 64

// gaps finds those of one kind. If a leaves choices open, each way is looked at
// by itself when the whole leaves gaps.
func (c *comparer) gaps(s *side, b *node) []gap {
	if accepts, known := s.st.truth(b); s.st.dead || known && accepts {
		return nil
	}
	if c.step() {
		return gapOf(s, b, refusal{keyword: exhausted}, unsure)
	}
	var out gaps
	ways := refusals(b, s.st.kind)
	c.spend(2 * len(ways))
	for _, r := range ways {
		c.brief = out.shown() >= maxShown
		if out.add(c.check(s, b, r)...); len(out) >= maxGaps || c.out() {
			break
		}
	}
	if len(out) == 0 || len(s.st.choices) == 0 || c.splits >= maxSplits || c.out() {
		return out
	}
	c.splits++
	rest := s.st.clone()
	choice := rest.choices[0]
	rest.choices = rest.choices[1:]
	var apart gaps
	for _, way := range choice {
		each := &side{st: rest, goal: s.goal}
		apart.add(c.gaps(each.with(way), b)...)
	}
	return apart
}

// gaps are kept once for each keyword and place.
type gaps []gap

// maxGaps bounds how many are kept of one place, and maxShown how many of them
// are sought a document for.
const (
	maxGaps  = 32
	maxShown = 5
)

func (g gaps) shown() int {
	n := 0
	for i := range g {
		if g[i].shown {
			n++
		}
	}
	return n
}

func (g *gaps) add(more ...gap) {
next:
	for _, m := range more {
		for i := range *g {
			if old := &(*g)[i]; old.keyword == m.keyword && old.name == m.name && old.at == m.at && old.path == m.path {
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
	g.kinds |= m.kinds
	g.all |= m.all
	if m.shown && !g.shown {
		g.shown, g.undecided, g.witness = true, false, m.witness
	}
}
