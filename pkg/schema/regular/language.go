package regular

import (
	"slices"
	"strconv"
	"strings"
)

// Language is a set of strings: those that pass all conditions that were added.
type Language struct {
	*space
	whole expr
	trees []*tree
	// beyond is true when a condition could not be said; the set is larger then.
	beyond bool
}

// NewLanguage returns the set of all strings. spend counts work, in units of about 0.1 µs, and
// reports whether any is left; without any every answer is Unknown.
func NewLanguage(spend func(units int) bool) *Language {
	return &Language{space: newSpace(spend), whole: anyText}
}

// Match keeps the strings that a pattern matches somewhere, or with not those that it does not.
func (l *Language) Match(p *Pattern, not bool) {
	l.spend(p.steps)
	inner, ok := l.build(p.root, anyText)
	if !ok {
		l.beyond = true
		return
	}
	e := l.cat(anyText, inner)
	if not {
		e = l.not(e)
	}
	l.trees = append(l.trees, p.root)
	l.whole = l.and(l.whole, e)
}

// Lengths keeps the strings of least to most characters; most is negative for no bound.
func (l *Language) Lengths(least, most int) {
	if least > 0 || most >= 0 {
		l.whole = l.and(l.whole, l.repeat(l.ofSet(everything), least, max(most, endless)))
	}
}

// Exclude removes some strings.
func (l *Language) Exclude(texts []string) {
	ways := make([]expr, 0, len(texts))
	for _, text := range texts {
		literal := &tree{op: opConcat}
		for _, r := range text {
			literal.sub = append(literal.sub, &tree{op: opSet, set: newSet(span{r, r})})
		}
		l.trees = append(l.trees, literal)
		way, _ := l.build(literal, empty)
		ways = append(ways, way)
	}
	l.whole = l.and(l.whole, l.not(l.or(ways...)))
}

// neighbour is what is beside a place in a text.
type neighbour uint8

const (
	outside neighbour = iota
	word
	noWord
)

func neighbourOf(r rune) neighbour {
	if wordRunes.contains(r) {
		return word
	}
	return noWord
}

// matchesEmpty reports whether an expression matches the empty string at a place.
func (s *space) matchesEmpty(e expr, last, next neighbour) bool {
	n := &s.nodes[e]
	holds := func(p expr) bool { return s.matchesEmpty(p, last, next) }
	switch n.op {
	case isEmpty:
		return true
	case isCat, isAnd:
		return !slices.ContainsFunc(n.parts, func(p expr) bool { return !holds(p) })
	case isOr:
		return slices.ContainsFunc(n.parts, holds)
	case isNot:
		return !holds(n.parts[0])
	case isRepeat:
		return n.least == 0 || holds(n.parts[0])
	case isStart:
		return last == outside
	case isEnd:
		return next == outside
	case isEdge, isNoEdge:
		return ((last == word) != (next == word)) == (n.op == isEdge)
	}
	return false
}

// walk derives the expressions of one space.
type walk struct {
	*space
	derived map[step]expr
	pruned  map[expr]expr
}

// step is one character read in one state.
type step struct {
	from expr
	last neighbour
	by   rune
}

// derive returns what is left of an expression's strings behind a character.
func (w *walk) derive(e expr, last neighbour, by rune) expr {
	if !w.nodes[e].asks {
		last = noWord // the place does not matter
	}
	at := step{e, last, by}
	if out, is := w.derived[at]; is {
		return out
	}
	if !w.spend(2) {
		return none
	}
	out := w.deriveAnew(e, last, by)
	w.derived[at] = out
	return out
}

func (w *walk) deriveAnew(e expr, last neighbour, by rune) expr {
	n := w.nodes[e]
	switch n.op {
	case isSet:
		if n.set.contains(by) {
			return empty
		}
		return none
	case isCat:
		out := w.cat(w.derive(n.parts[0], last, by), n.parts[1])
		if w.matchesEmpty(n.parts[0], last, neighbourOf(by)) {
			out = w.or(out, w.derive(n.parts[1], last, by))
		}
		return out
	case isOr, isAnd:
		parts := make([]expr, len(n.parts))
		for i, p := range n.parts {
			parts[i] = w.derive(p, last, by)
		}
		if n.op == isOr {
			return w.or(parts...)
		}
		return w.and(parts...)
	case isNot:
		return w.not(w.derive(n.parts[0], last, by))
	case isRepeat:
		least, most := max(n.least-1, 0), n.most
		if most != endless {
			most--
		}
		if w.matchesEmpty(n.parts[0], last, neighbourOf(by)) {
			least = 0 // the turns before this one may be empty here
		}
		return w.cat(w.derive(n.parts[0], last, by), w.repeat(n.parts[0], least, most))
	}
	return none
}

// prune removes what only matches at the start of the text.
func (w *walk) prune(e expr) expr {
	n := w.nodes[e]
	if !n.asksStart {
		return e
	}
	if n.op == isStart {
		return none
	}
	if out, is := w.pruned[e]; is {
		return out
	}
	parts := make([]expr, len(n.parts))
	for i, p := range n.parts {
		parts[i] = w.prune(p)
	}
	var out expr
	switch n.op {
	case isCat:
		out = w.cat(parts[0], parts[1])
	case isOr:
		out = w.or(parts...)
	case isAnd:
		out = w.and(parts...)
	case isNot:
		out = w.not(parts[0])
	case isRepeat:
		out = w.repeat(parts[0], n.least, n.most)
	}
	w.pruned[e] = out
	return out
}

func (s *space) newWalk() *walk {
	return &walk{space: s, derived: map[step]expr{}, pruned: map[expr]expr{}}
}

// Answer says what is known of a language.
type Answer uint8

const (
	// Unknown means that the walk ended for lack of work or at maxStates.
	Unknown Answer = iota
	// None means that no string is in the language.
	None
	// Some means that there are strings.
	Some
)

// maxStates bounds the states of one walk.
const maxStates = 6000

// state is a state of a walk, and the way to it.
type state struct {
	rest  expr
	last  neighbour
	from  int
	by    rune
	depth int
}

// Words returns some of the shortest strings of the language, at most count, no two of them by
// the same way to the same state.
func (l *Language) Words(count int) ([]string, Answer) {
	w := l.newWalk()
	letters := l.letters()
	states := []state{{rest: l.whole, last: outside, from: -1}}
	type place struct {
		rest expr
		last neighbour
	}
	met := map[place]bool{}
	var words []string
	for i := 0; i < len(states); i++ {
		s := states[i]
		if w.matchesEmpty(s.rest, s.last, outside) {
			if words = append(words, spell(states, i)); len(words) == count {
				break
			}
		}
		for _, r := range letters {
			rest := w.prune(w.derive(s.rest, s.last, r))
			last := neighbourOf(r)
			if !w.nodes[rest].asks {
				last = noWord
			}
			if rest == none || met[place{rest, last}] {
				continue
			}
			if met[place{rest, last}] = true; len(states) >= maxStates {
				return words, answerOf(words, Unknown)
			}
			states = append(states, state{rest, last, i, r, s.depth + 1})
		}
		if !w.spend(1) {
			return words, answerOf(words, Unknown)
		}
	}
	if l.beyond && len(words) > 0 {
		return words, Unknown // words of a larger language
	}
	return words, answerOf(words, None)
}

// answerOf returns Some where there are words.
func answerOf(words []string, otherwise Answer) Answer {
	if len(words) > 0 {
		return Some
	}
	return otherwise
}

// spell returns the characters on the way to a state.
func spell(states []state, i int) string {
	runes := make([]rune, 0, states[i].depth)
	for ; states[i].from >= 0; i = states[i].from {
		runes = append(runes, states[i].by)
	}
	slices.Reverse(runes)
	return string(runes)
}

// familiar are the characters that stand for those which no condition tells apart from them.
const familiar = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_-. !@/:+#éΩ字"

// letters returns one character of each class that no condition tells apart.
func (l *Language) letters() []rune {
	var sets []set
	seen := map[string]bool{}
	asks := false
	var collect func(*tree)
	collect = func(t *tree) {
		asks = asks || t.op == opWordEdge || t.op == opNoWordEdge
		if key := l.keyOf(exprNode{set: t.set}); t.op == opSet && !seen[key] {
			seen[key] = true
			sets = append(sets, t.set)
		}
		for _, sub := range t.sub {
			collect(sub)
		}
	}
	for _, t := range l.trees {
		collect(t)
	}
	if asks {
		sets = append(sets, wordRunes)
	}
	candidates := []rune(familiar + "\x00")
	for _, s := range sets {
		for _, x := range s {
			candidates = append(candidates, x.low)
			if behind := x.high + 1; behind == firstSurrogate {
				candidates = append(candidates, lastSurrogate+1)
			} else {
				candidates = append(candidates, behind)
			}
		}
	}
	return l.tellApart(candidates, sets)
}

// tellApart returns the first of the candidates in each combination of sets.
func (l *Language) tellApart(candidates []rune, sets []set) []rune {
	var out []rune
	classes := map[string]bool{}
	tried := map[rune]bool{}
	for _, r := range candidates {
		if tried[r] || !everything.contains(r) {
			continue
		}
		tried[r] = true
		if !l.spend(1 + len(sets)/2) {
			return out
		}
		var class strings.Builder
		for _, s := range sets {
			class.WriteString(strconv.FormatBool(s.contains(r)))
		}
		if !classes[class.String()] {
			classes[class.String()] = true
			out = append(out, r)
		}
	}
	return out
}

// Has reports whether a string is in the language, and whether that is known.
func (l *Language) Has(text string) (has, known bool) {
	w := l.newWalk()
	rest, last := l.whole, outside
	for _, r := range text {
		if !w.spend(1) {
			return false, false
		}
		rest, last = w.prune(w.derive(rest, last, r)), neighbourOf(r)
	}
	return w.matchesEmpty(rest, last, outside), w.spend(1) && !l.beyond
}
