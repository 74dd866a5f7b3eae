package regular_test

import (
	"fmt"
	"math/rand"
	"regexp/syntax"
	"slices"
	"testing"

	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/pkg/schema/regular"
)

// automaton is a pattern as package regexp compiles it. Sets of its instructions are the
// states: an automaton built in another way than a Language.
type automaton struct{ *syntax.Prog }

func newAutomaton(t *testing.T, text string) automaton {
	t.Helper()
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		t.Fatal(err)
	}
	return automaton{prog}
}

// letters returns the first character of each range, and the one behind each.
func (a automaton) letters(to []rune) []rune {
	for _, i := range a.Inst {
		if i.Op == syntax.InstRune || i.Op == syntax.InstRune1 {
			for k, r := range i.Rune {
				to = append(to, r+rune(k%2))
				if len(i.Rune) == 1 {
					to = append(to, r+1)
				}
			}
		}
	}
	return to
}

// follow returns the instructions that wait for a character between two others, and
// whether the pattern has matched.
func (a automaton) follow(from []uint32, last, next rune) (waiting []uint32, matched bool) {
	holds := syntax.EmptyOpContext(last, next)
	seen := map[uint32]bool{}
	var visit func(pc uint32)
	visit = func(pc uint32) {
		if seen[pc] {
			return
		}
		seen[pc] = true
		switch i := a.Inst[pc]; i.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			visit(i.Out)
			visit(i.Arg)
		case syntax.InstCapture, syntax.InstNop:
			visit(i.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(i.Arg)&^holds == 0 {
				visit(i.Out)
			}
		case syntax.InstMatch:
			matched = true
		case syntax.InstFail:
		default:
			waiting = append(waiting, pc)
		}
	}
	for _, pc := range from {
		visit(pc)
	}
	return waiting, matched
}

// side is a set of instructions; done is true once the pattern has matched.
type side struct {
	at   []uint32
	done bool
}

func (a automaton) start() side { return side{at: []uint32{uint32(a.Start)}} }

// read returns the side behind a character. A match may begin there, too.
func (a automaton) read(s side, last, by rune) side {
	waiting, matched := a.follow(s.at, last, by)
	if s.done || matched {
		return side{done: true}
	}
	out := a.start()
	for _, pc := range waiting {
		if a.Inst[pc].MatchRune(by) {
			out.at = append(out.at, a.Inst[pc].Out)
		}
	}
	slices.Sort(out.at)
	out.at = slices.Compact(out.at)
	return out
}

func (a automaton) accepts(s side, last rune) bool {
	_, matched := a.follow(s.at, last, -1)
	return s.done || matched
}

// isWithin reports whether all texts of a are texts of b, by all pairs of their states.
func isWithin(a, b automaton) bool {
	letters := b.letters(a.letters([]rune("a0 é\n")))
	slices.Sort(letters)
	letters = slices.DeleteFunc(slices.Compact(letters), func(r rune) bool { return r > '\U0010ffff' || r >= 0xd800 && r < 0xe000 })
	type pair struct {
		a, b side
		last rune
	}
	open := []pair{{a.start(), b.start(), -1}}
	met := map[string]bool{}
	for len(open) > 0 {
		p := open[len(open)-1]
		open = open[:len(open)-1]
		if a.accepts(p.a, p.last) && !b.accepts(p.b, p.last) {
			return false
		}
		for _, r := range letters {
			next := pair{a.read(p.a, p.last, r), b.read(p.b, p.last, r), r}
			key := fmt.Sprint(next.a, next.b, syntax.IsWordChar(r), r == '\n')
			if !met[key] && !next.b.done {
				met[key] = true
				open = append(open, next)
			}
		}
	}
	return true
}

// TestEvolutionsByAnotherAutomaton holds each evolution that regexp can say to an automaton
// of its own, in both directions.
func TestEvolutionsByAnotherAutomaton(t *testing.T) {
	checked := 0
	for _, e := range evolutions {
		narrow, can := mustParse(t, e[0]).Go()
		wide, both := mustParse(t, e[1]).Go()
		if !can || !both {
			continue // look-ahead, which JavaScript judges
		}
		checked++
		a, b := newAutomaton(t, narrow), newAutomaton(t, wide)
		if !isWithin(a, b) {
			t.Errorf("%s is not within %s", e[0], e[1])
		}
		if isWithin(b, a) {
			t.Errorf("%s is within %s", e[1], e[0])
		}
	}
	if checked < 57 {
		t.Errorf("only %d evolutions", checked)
	}
}

// TestPatternEvolutions has Node.js match 200 texts with each evolution, in its long
// form 10,000: words of both patterns, changed in some places.
func TestPatternEvolutions(t *testing.T) {
	count := soak.Pick("patternEvolutions", 10_000, 200)
	r := rand.New(rand.NewSource(5))
	for _, e := range evolutions {
		narrow, wide := mustParse(t, e[0]), mustParse(t, e[1])
		words := []string{""}
		for _, p := range []*regular.Pattern{narrow, wide} {
			l := regular.NewLanguage(within(2_000_000))
			l.Match(p, false)
			some, _ := l.Words(40)
			words = append(words, some...)
		}
		tried := make([]string, count)
		for i := range tried {
			tried[i] = changed(r, words[r.Intn(len(words))])
		}
		said := askJavaScript(t, e[:], tried)
		for i, text := range tried {
			if said[0][i] && !said[1][i] {
				t.Errorf("%s matches %q, and %s does not", e[0], text, e[1])
			}
			if i%10 == 0 && (has(narrow, text) != said[0][i] || has(wide, text) != said[1][i]) {
				t.Errorf("%q of %s: JavaScript says %v and %v", text, e, said[0][i], said[1][i])
			}
		}
	}
}

// changed returns a text with up to three characters inserted, removed or replaced.
func changed(r *rand.Rand, text string) string {
	letters := []rune("abfzAZ019-_.@/:#+ é\nTx")
	out := []rune(text)
	for range r.Intn(4) {
		at := r.Intn(len(out) + 1)
		switch end := min(at+1, len(out)); r.Intn(3) {
		case 0:
			out = slices.Insert(out, at, letters[r.Intn(len(letters))])
		case 1:
			out = slices.Delete(out, at, end)
		default:
			out = slices.Replace(out, at, end, letters[r.Intn(len(letters))])
		}
	}
	return string(out)
}
