package regular

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// readClass reads a class of characters in brackets.
func (p *parser) readClass() (*tree, error) {
	begin := p.at
	p.at++
	not := p.take("^")
	var of set
	for {
		switch {
		case p.at >= len(p.text):
			return nil, fmt.Errorf(`has a "[" at byte %d that is not closed; write \[ for the character`, begin)
		case p.take("]"):
			if not {
				of = of.complement()
			}
			return &tree{op: opSet, set: of}, nil
		case strings.HasPrefix(p.rest(), "[:") && strings.Contains(p.rest(), ":]"):
			return nil, fmt.Errorf("has a class such as [:alpha:], which is not ECMA-262; write its characters, such as a-zA-Z")
		}
		part, err := p.readClassRange()
		if err != nil {
			return nil, err
		}
		of = of.union(part)
	}
}

// readClassRange reads a character, a class such as \d, or a range of characters. A hyphen
// beside a class is a character, as annex B reads it.
func (p *parser) readClassRange() (set, error) {
	low, one, err := p.readClassAtom()
	if err != nil {
		return nil, err
	}
	rest := p.rest()
	if !one || !strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "-]") || rest == "-" {
		return low, nil
	}
	p.at++
	high, oneToo, err := p.readClassAtom()
	if err != nil {
		return nil, err
	}
	if !oneToo {
		return low.union(high).union(newSet(span{'-', '-'})), nil
	}
	// A lone surrogate bounds a range, although none is in it.
	from, to := edge(low), edge(high)
	if from > to {
		return nil, fmt.Errorf("has a range of characters from %q to %q, which are the wrong way round", from, to)
	}
	return newSet(span{from, to}), nil
}

// edge is the only character of an atom.
func edge(s set) rune { return s[0].low }

// readClassAtom reads one character, or a class such as \d.
func (p *parser) readClassAtom() (of set, one bool, err error) {
	if p.at >= len(p.text) {
		return nil, false, fmt.Errorf("ends inside of a class of characters")
	}
	if p.text[p.at] != '\\' {
		r, size := utf8.DecodeRuneInString(p.rest())
		p.at += size
		return set{{r, r}}, true, nil
	}
	if p.take(`\b`) {
		return set{{'\b', '\b'}}, true, nil
	}
	if of, is, err := p.readClassEscape(); is || err != nil {
		return of, false, err
	}
	r, err := p.readCharacterEscape()
	return set{{r, r}}, true, err
}

// readEscape reads an escape outside of a class.
func (p *parser) readEscape() (*tree, error) {
	switch {
	case p.take(`\b`):
		return &tree{op: opWordEdge}, nil
	case p.take(`\B`):
		return &tree{op: opNoWordEdge}, nil
	}
	if of, is, err := p.readClassEscape(); is || err != nil {
		return &tree{op: opSet, set: of}, err
	}
	if is, err := p.readBackReference(); is || err != nil {
		p.note("a back reference")
		return &tree{op: opBeyond}, err
	}
	r, err := p.readCharacterEscape()
	return &tree{op: opSet, set: newSet(span{r, r})}, err
}

// readClassEscape reads \d, \s, \w, \p{…} and their complements.
func (p *parser) readClassEscape() (of set, is bool, err error) {
	rest := p.rest()
	if len(rest) < 2 {
		return nil, false, nil
	}
	switch rest[1] {
	case 'd', 'D':
		of = digits
	case 's', 'S':
		of = spaces
	case 'w', 'W':
		of = wordRunes
	case 'p', 'P':
		return p.readProperty()
	default:
		return nil, false, nil
	}
	p.at += 2
	if rest[1] < 'a' {
		of = of.complement()
	}
	return of, true, nil
}

// readBackReference reads \1 or \k<name>.
func (p *parser) readBackReference() (bool, error) {
	rest := p.rest()[1:]
	if strings.HasPrefix(rest, "k<") {
		end := strings.IndexByte(rest, '>')
		if end < 0 {
			return false, fmt.Errorf(`has a \k without a name: \k<name>`)
		}
		p.at += 1 + end + 1
		return true, nil
	}
	count := 0
	for count < len(rest) && rest[count] >= '0' && rest[count] <= '9' {
		count++
	}
	if count == 0 || rest[0] == '0' {
		return false, nil
	}
	if n, _ := readCount(rest[:count]); n > p.groups {
		return false, fmt.Errorf(`refers to group %s, and has %d; write \x and two hexadecimal digits for a character`, rest[:count], p.groups)
	}
	p.at += 1 + count
	return true, nil
}

// controls are the escapes of one letter.
var controls = map[byte]rune{'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

// foreign are escapes that other dialects have, and what ECMA-262 has in their place.
var foreign = map[byte]string{
	'A': "^", 'z': "$", 'Z': "$", 'a': `\x07`, 'e': `\x1b`, 'Q': `a \ before each special character`, 'E': "nothing",
	'h': `[\t ]`, 'R': `(?:\r\n|\n|\r)`, 'X': ".", 'C': ".", 'G': "nothing", 'K': "nothing",
}

// readCharacterEscape reads an escape that stands for one character.
func (p *parser) readCharacterEscape() (rune, error) {
	rest := p.rest()[1:]
	if rest == "" {
		return 0, fmt.Errorf(`ends with a \; write \\ for the character`)
	}
	c := rest[0]
	if r, is := controls[c]; is {
		p.at += 2
		return r, nil
	}
	switch {
	case c == 'x':
		return p.readHex(`\x`, 2)
	case c == 'u':
		return p.readUnicode()
	case c == 'c' && len(rest) > 1 && isLetter(rest[1]):
		p.at += 3
		return rune(rest[1] % 32), nil
	case c == '0' && (len(rest) == 1 || rest[1] < '0' || rest[1] > '9'):
		p.at += 2
		return 0, nil
	case c >= '0' && c <= '9' || isLetter(c):
		return 0, meaningless(c)
	}
	r, size := utf8.DecodeRuneInString(rest)
	p.at += 1 + size
	return r, nil
}

// meaningless is the error of an escape of a letter or digit that ECMA-262 does not have.
func meaningless(c byte) error {
	switch instead := foreign[c]; {
	case c <= '9':
		return fmt.Errorf(`has the escape \%c of a number; write \x and two hexadecimal digits for a character`, c)
	case instead != "":
		return fmt.Errorf(`has the escape \%c, which is not ECMA-262; write %s`, c, instead)
	}
	return fmt.Errorf(`has the escape \%c, which means nothing; write %c`, c, c)
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// readHex reads some hexadecimal digits behind a prefix.
func (p *parser) readHex(prefix string, count int) (rune, error) {
	rest := p.rest()[len(prefix):]
	if len(rest) >= count {
		if n, err := strconv.ParseUint(rest[:count], 16, 32); err == nil {
			p.at += len(prefix) + count
			return rune(n), nil
		}
	}
	if strings.HasPrefix(rest, "{") {
		return 0, fmt.Errorf(`has the escape %s{…}, which is not ECMA-262; write \u{…}`, prefix)
	}
	return 0, fmt.Errorf("has the escape %s without its %d hexadecimal digits", prefix, count)
}

// readUnicode reads \u{…}, \uXXXX or the surrogates of one character.
func (p *parser) readUnicode() (rune, error) {
	if strings.HasPrefix(p.rest(), `\u{`) {
		end := strings.IndexByte(p.rest(), '}')
		if end > 0 {
			if n, err := strconv.ParseUint(p.rest()[len(`\u{`):end], 16, 32); err == nil && n <= utf8.MaxRune {
				p.at += end + 1
				return rune(n), nil
			}
		}
		return 0, fmt.Errorf(`has the escape \u{…} without the hexadecimal number of a character`)
	}
	high, err := p.readHex(`\u`, 4)
	if err != nil || high < firstSurrogate || high >= 0xdc00 || !strings.HasPrefix(p.rest(), `\u`) {
		return high, err
	}
	back := p.at
	low, err := p.readHex(`\u`, 4)
	if err != nil || low < 0xdc00 || low > lastSurrogate {
		p.at = back
		return high, nil
	}
	return 0x10000 + (high-firstSurrogate)<<10 + (low - 0xdc00), nil
}
