package regular

import (
	"fmt"
	"strings"
)

// Go returns the pattern in the dialect of package regexp, and reports whether it can be said
// there.
func (p *Pattern) Go() (string, bool) {
	if p.beyond != "" || p.looksAhead {
		return "", false
	}
	var b strings.Builder
	p.root.writeGo(&b)
	return b.String(), true
}

var goAssertions = map[operator]string{opStart: `\A`, opEnd: `\z`, opWordEdge: `\b`, opNoWordEdge: `\B`}

// writeGo writes each part in a group of its own, so that nothing binds to its neighbour.
func (t *tree) writeGo(b *strings.Builder) {
	switch t.op {
	case opSet:
		writeGoSet(b, t.set)
	case opConcat:
		for _, s := range t.sub {
			s.writeGo(b)
		}
	case opAlternate:
		b.WriteString("(?:")
		for i, s := range t.sub {
			if i > 0 {
				b.WriteByte('|')
			}
			s.writeGo(b)
		}
		b.WriteByte(')')
	case opRepeat:
		b.WriteString("(?:")
		t.sub[0].writeGo(b)
		b.WriteByte(')')
		b.WriteString(goQuantifier(t.least, t.most))
	default:
		b.WriteString(goAssertions[t.op])
	}
}

func goQuantifier(least, most int) string {
	switch {
	case least == 0 && most == endless:
		return "*"
	case least == 1 && most == endless:
		return "+"
	case least == 0 && most == 1:
		return "?"
	case most == endless:
		return fmt.Sprintf("{%d,}", least)
	case least == most:
		return fmt.Sprintf("{%d}", least)
	}
	return fmt.Sprintf("{%d,%d}", least, most)
}

func writeGoSet(b *strings.Builder, s set) {
	if len(s) == 0 {
		b.WriteString(`[^\x00-\x{10FFFF}]`)
		return
	}
	b.WriteByte('[')
	for _, x := range s {
		writeGoRune(b, x.low)
		if x.high > x.low {
			b.WriteByte('-')
			writeGoRune(b, x.high)
		}
	}
	b.WriteByte(']')
}

func writeGoRune(b *strings.Builder, r rune) {
	if r < 0x80 && (r >= '0' && r <= '9' || isLetter(byte(r))) {
		b.WriteRune(r)
		return
	}
	fmt.Fprintf(b, `\x{%x}`, r)
}
