package regular

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Pattern is a pattern that was read. It does not change.
type Pattern struct {
	root *tree
	// beyond names what neither regexp nor a Language can say.
	beyond string
	// looksAhead is true for a pattern with look-ahead, which only a Language can say.
	looksAhead bool
	steps      int
}

// Beyond names the first part of the pattern that cannot be evaluated, or is empty. Such a
// pattern matches an unknown set of strings.
func (p *Pattern) Beyond() string { return p.beyond }

// Steps is the size of the pattern with its repetitions unfolded, at most maxSteps.
func (p *Pattern) Steps() int { return p.steps }

type operator uint8

const (
	opEmpty      operator = iota
	opSet                 // one character of set
	opConcat              // all of sub in turn
	opAlternate           // one of sub
	opRepeat              // sub[0], from least to most times
	opStart               // ^
	opEnd                 // $
	opWordEdge            // \b
	opNoWordEdge          // \B
	opAhead               // (?=sub[0])
	opNotAhead            // (?!sub[0])
	opBeyond
)

// tree is a pattern's syntax.
type tree struct {
	op          operator
	set         set
	sub         []*tree
	least, most int // most is endless for no bound
}

const endless = -1

// maxSteps is where Steps saturates, and maxDepth the deepest nesting of groups.
const (
	maxSteps = 1 << 20
	maxDepth = 200
)

// parser reads a pattern from left to right.
type parser struct {
	text   string
	at     int
	depth  int
	groups int // that capture, in the whole pattern
	beyond string
	looks  bool
}

// Parse reads a pattern. The error says what is wrong and what to write instead.
func Parse(text string) (*Pattern, error) {
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("is not valid UTF-8")
	}
	p := &parser{text: text, groups: countGroups(text)}
	root, err := p.readAlternatives()
	if err == nil && p.at < len(text) {
		err = fmt.Errorf(`has a ")" at byte %d that closes nothing; write \) for the character`, p.at)
	}
	if err != nil {
		return nil, err
	}
	if root.repeatsLookAhead() {
		p.note("look-ahead in a repetition without an end")
	}
	return &Pattern{root: root, beyond: p.beyond, looksAhead: p.looks, steps: root.countSteps()}, nil
}

// countGroups counts the groups that capture. Back references may name one that follows.
func countGroups(text string) int {
	found, inClass := 0, false
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '[':
			inClass = true
		case ']':
			inClass = false
		case '(':
			rest := text[i+1:]
			named := strings.HasPrefix(rest, "?<") && !strings.HasPrefix(rest, "?<=") && !strings.HasPrefix(rest, "?<!")
			if !inClass && (named || !strings.HasPrefix(rest, "?")) {
				found++
			}
		}
	}
	return found
}

func (p *parser) rest() string { return p.text[p.at:] }

// take skips a prefix of the rest and reports whether it was there.
func (p *parser) take(prefix string) bool {
	if !strings.HasPrefix(p.rest(), prefix) {
		return false
	}
	p.at += len(prefix)
	return true
}

func (p *parser) readAlternatives() (*tree, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, fmt.Errorf("nests groups more than %d deep", maxDepth)
	}
	defer func() { p.depth-- }()
	var ways []*tree
	for {
		way, err := p.readSequence()
		if err != nil {
			return nil, err
		}
		if ways = append(ways, way); !p.take("|") {
			break
		}
	}
	if len(ways) == 1 {
		return ways[0], nil
	}
	return &tree{op: opAlternate, sub: ways}, nil
}

func (p *parser) readSequence() (*tree, error) {
	var parts []*tree
	for p.at < len(p.text) && p.text[p.at] != '|' && p.text[p.at] != ')' {
		part, err := p.readTerm()
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	switch len(parts) {
	case 0:
		return &tree{op: opEmpty}, nil
	case 1:
		return parts[0], nil
	}
	return &tree{op: opConcat, sub: parts}, nil
}

// readTerm reads an assertion or an atom, with its quantifier.
func (p *parser) readTerm() (*tree, error) {
	begin := p.at
	t, err := p.readAtom()
	if err != nil {
		return nil, err
	}
	least, most, is, err := p.readQuantifier()
	if err != nil || !is {
		return t, err
	}
	if t.isAssertion() {
		return nil, fmt.Errorf("repeats %q, which matches no character; leave the repetition out", p.text[begin:p.at])
	}
	p.take("?") // reluctant: the same strings
	return &tree{op: opRepeat, sub: []*tree{t}, least: least, most: most}, nil
}

func (t *tree) isAssertion() bool {
	return slices.Contains([]operator{opStart, opEnd, opWordEdge, opNoWordEdge, opAhead, opNotAhead}, t.op)
}

func (p *parser) readAtom() (*tree, error) {
	switch c := p.text[p.at]; c {
	case '^', '$':
		p.at++
		return &tree{op: map[byte]operator{'^': opStart, '$': opEnd}[c]}, nil
	case '.':
		p.at++
		return &tree{op: opSet, set: lineEnds.complement()}, nil
	case '(':
		return p.readGroup()
	case '[':
		return p.readClass()
	case '\\':
		return p.readEscape()
	case '*', '+', '?':
		return nil, fmt.Errorf(`has a %q at byte %d with nothing to repeat; write \%c for the character`, c, p.at, c)
	}
	r, size := utf8.DecodeRuneInString(p.rest())
	p.at += size
	return &tree{op: opSet, set: newSet(span{r, r})}, nil
}

// groupForm is the beginning of a group, and what the group is.
type groupForm struct {
	begin  string
	op     operator
	beyond string
}

var groupForms = []groupForm{
	{begin: "(?:", op: opConcat}, {begin: "(?=", op: opAhead}, {begin: "(?!", op: opNotAhead},
	{begin: "(?<=", op: opBeyond, beyond: "look-behind"}, {begin: "(?<!", op: opBeyond, beyond: "look-behind"},
}

func (p *parser) readGroup() (*tree, error) {
	op := opConcat
	form := slices.IndexFunc(groupForms, func(f groupForm) bool { return strings.HasPrefix(p.rest(), f.begin) })
	begin := p.at
	switch {
	case form >= 0:
		p.at += len(groupForms[form].begin)
		op = groupForms[form].op
		p.note(groupForms[form].beyond)
	case strings.HasPrefix(p.rest(), "(?<"):
		end := strings.IndexByte(p.rest(), '>')
		if end < 0 || end == len("(?<") {
			return nil, fmt.Errorf("has a group at byte %d without a name: (?<name>…)", begin)
		}
		p.at += end + 1
	case strings.HasPrefix(p.rest(), "(?P<"):
		return nil, fmt.Errorf("has a group (?P<name>…), which is not ECMA-262; write (?<name>…)")
	case strings.HasPrefix(p.rest(), "(?"):
		return nil, fmt.Errorf("has a group %q, which is not ECMA-262: flags are not part of a pattern; write each letter as a class such as [aA]", shorten(p.rest()))
	default:
		p.at++
	}
	inner, err := p.readAlternatives()
	if err != nil {
		return nil, err
	}
	if !p.take(")") {
		return nil, fmt.Errorf(`has a "(" at byte %d that is not closed; write \( for the character`, begin)
	}
	p.looks = p.looks || op == opAhead || op == opNotAhead
	if op == opConcat {
		return &tree{op: opConcat, sub: []*tree{inner}}, nil
	}
	return &tree{op: op, sub: []*tree{inner}}, nil
}

// note remembers the first part that cannot be evaluated.
func (p *parser) note(beyond string) {
	if p.beyond == "" {
		p.beyond = beyond
	}
}

func shorten(text string) string {
	if runes := []rune(text); len(runes) > 8 {
		return string(runes[:8]) + "…"
	}
	return text
}

// readQuantifier reads *, +, ? or {n,m}. Other braces are characters, as annex B reads them.
func (p *parser) readQuantifier() (least, most int, is bool, err error) {
	switch {
	case p.take("*"):
		return 0, endless, true, nil
	case p.take("+"):
		return 1, endless, true, nil
	case p.take("?"):
		return 0, 1, true, nil
	case !strings.HasPrefix(p.rest(), "{"):
		return 0, 0, false, nil
	}
	text := p.rest()
	end := strings.IndexByte(text, '}')
	if end < 0 {
		return 0, 0, false, nil
	}
	low, high, ranged := strings.Cut(text[1:end], ",")
	least, ok := readCount(low)
	most = least
	if ranged {
		if most = endless; high != "" {
			var given bool
			most, given = readCount(high)
			ok = ok && given
		}
	}
	if !ok {
		return 0, 0, false, nil
	}
	p.at += end + 1
	if most != endless && most < least {
		return 0, 0, false, fmt.Errorf("has the repetition %s, whose bounds are the wrong way round", text[:end+1])
	}
	return least, most, true, nil
}

// readCount reads a decimal number. Numbers beyond maxSteps are as good as it.
func readCount(text string) (int, bool) {
	n := 0
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(n*10+int(c-'0'), maxSteps)
	}
	return n, text != ""
}

func (t *tree) repeatsLookAhead() bool {
	return t.op == opRepeat && t.most == endless && t.looksAhead() || slices.ContainsFunc(t.sub, (*tree).repeatsLookAhead)
}

// countSteps counts characters, classes and groups with repetitions unfolded.
func (t *tree) countSteps() int {
	sum := 1
	for _, s := range t.sub {
		sum = min(sum+s.countSteps(), maxSteps)
	}
	if t.op == opRepeat {
		sum = min(sum*max(t.least, t.most, 1), maxSteps)
	}
	return sum
}
