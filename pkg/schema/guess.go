package schema

// guesses are the answers of patterns that cannot be checked, in one evaluation of a value.
// All combinations are tried: what holds in each of them is certain.
type guesses struct{ made []guess }

type guess struct {
	pattern, text string
	matches       bool
}

// maxGuessed is the most evaluations of one value.
const maxGuessed = 32

// inEveryWay evaluates in each way in which patterns that cannot be checked may match, and
// reports whether all are true, or none is.
func (m *meter) inEveryWay(evaluate func() bool) (always, never bool) {
	if m == nil || m.guesses != nil {
		is := evaluate()
		return is, !is
	}
	m.guesses = &guesses{}
	defer func() { m.guesses = nil }()
	always, never = true, true
	for range maxGuessed {
		is := evaluate()
		if always, never = always && is, never && !is; !always && !never || !m.guesses.next() {
			return always, never
		}
	}
	return false, false
}

// guess returns whether a pattern matches a text in the evaluation under way.
func (m *meter) guess(p *pattern, text string) bool {
	if m == nil || m.guesses == nil {
		return false
	}
	for _, made := range m.guesses.made {
		if made.pattern == p.text && made.text == text {
			return made.matches
		}
	}
	m.guesses.made = append(m.guesses.made, guess{pattern: p.text, text: text})
	return false
}

// next changes the last guess that was not tried both ways, and reports whether there is
// one.
func (g *guesses) next() bool {
	for len(g.made) > 0 {
		last := &g.made[len(g.made)-1]
		if !last.matches {
			last.matches = true
			return true
		}
		g.made = g.made[:len(g.made)-1]
	}
	return false
}
