package bounds

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	// maxDepth bounds the lists and objects that are open at once, as encoding/json does.
	maxDepth = 10_000
	// maxKey bounds a key in a path, and maxPath the path.
	maxKey, maxPath = 60, 200
)

// Scan calls visit at each value of a JSON text, in order and before what it contains. It
// ends at the first error of visit, or where the brackets, commas and colons are not those
// of JSON. The decoder checks the rest.
func Scan(text []byte, visit func(*Place) error) error {
	s := scanner{text: text, visit: func(p *Place, _ *scanner) error { return visit(p) }}
	return s.run()
}

// Place is where a scan is.
type Place struct {
	values int
	open   []level
	// first is the first byte of the value.
	first byte
}

// level is a list or an object that is open.
type level struct {
	isObject bool
	// key is that of the current field, as it is written.
	key   []byte
	items int
}

// Values returns how many values were visited, this one included.
func (p *Place) Values() int { return p.values }

// Depth returns how many lists and objects contain the value.
func (p *Place) Depth() int { return len(p.open) }

// Items returns the number of the value in the list or object that contains it, from 1.
func (p *Place) Items() int {
	if len(p.open) == 0 {
		return 1
	}
	return p.open[len(p.open)-1].items
}

// IsStruct reports whether the value is a list or an object in a list.
func (p *Place) IsStruct() bool {
	isListed := len(p.open) > 0 && !p.open[len(p.open)-1].isObject
	return isListed && (p.first == '{' || p.first == '[')
}

// Key returns the key of the field at a depth, from 0, as it is written; nil within a list.
func (p *Place) Key(depth int) []byte { return p.open[depth].key }

// IsAt reports whether the value is the field that the keys lead to.
func (p *Place) IsAt(keys ...string) bool {
	if len(keys) != len(p.open) {
		return false
	}
	for i, key := range keys {
		if string(p.open[i].key) != key {
			return false
		}
	}
	return true
}

// Path returns where the value is, such as spec.env[3].name. For what the API server notes of
// a field in managedFields it is that field, which a client has written.
func (p *Place) Path() string { return pathOf(p.open) }

// Parent returns the path of the list or object that contains the value.
func (p *Place) Parent() string { return pathOf(p.open[:max(len(p.open)-1, 0)]) }

func pathOf(open []level) string {
	var out strings.Builder
	isNote := false
	for _, l := range open {
		if out.Len() > maxPath {
			return out.String() + "…"
		}
		if !l.isObject {
			out.WriteString("[" + strconv.Itoa(l.items-1) + "]")
			continue
		}
		key := string(l.key[:min(len(l.key), maxKey)])
		if key == "fieldsV1" {
			isNote = true
			out.Reset()
			continue
		}
		if isNote {
			key = strings.TrimPrefix(key, "f:")
		}
		if out.Len() > 0 {
			out.WriteByte('.')
		}
		if strings.ContainsAny(key, `.[]\ `) {
			key = "[" + strconv.Quote(key) + "]"
		}
		out.WriteString(key)
	}
	return out.String()
}

// scanner reads a text once.
type scanner struct {
	text  []byte
	at    int
	place Place
	visit func(*Place, *scanner) error
}

func (s *scanner) run() error {
	if err := s.visitValue(); err != nil {
		return err
	}
	for len(s.place.open) > 0 {
		if err := s.nextItem(); err != nil {
			return err
		}
	}
	if s.skipSpace(); s.at < len(s.text) {
		return s.unexpected("the end")
	}
	return nil
}

// visitValue visits a value. A list or object is open afterwards, before its first item.
func (s *scanner) visitValue() error {
	s.skipSpace()
	s.place.values++
	s.place.first = s.peek()
	before := s.at
	if err := s.visit(&s.place, s); err != nil || s.at != before {
		return err // The visit may have read the value.
	}
	switch c := s.place.first; c {
	case '{', '[':
		if len(s.place.open) == maxDepth {
			return &Error{s.place.Path(), fmt.Sprintf("is nested more than %d deep", maxDepth)}
		}
		s.at++
		s.place.open = append(s.place.open, level{isObject: c == '{'})
		return nil
	case '"':
		_, err := s.readQuoted()
		return err
	default:
		return s.readPlain()
	}
}

// nextItem continues in the innermost list or object: at its next item, or after its end.
func (s *scanner) nextItem() error {
	in := &s.place.open[len(s.place.open)-1]
	closing := byte(']')
	if in.isObject {
		closing = '}'
	}
	s.skipSpace()
	switch c := s.peek(); {
	case c == closing:
		s.at++
		s.place.open = s.place.open[:len(s.place.open)-1]
		return nil
	case in.items > 0 && c == ',':
		s.at++
	case in.items > 0:
		return s.unexpected("',' or '" + string(closing) + "'")
	}
	in.items++
	if in.isObject {
		if err := s.readKey(in); err != nil {
			return err
		}
	}
	return s.visitValue()
}

// readKey reads the key of a field and its colon.
func (s *scanner) readKey(in *level) (err error) {
	s.skipSpace()
	if s.peek() != '"' {
		return s.unexpected("a key")
	}
	if in.key, err = s.readQuoted(); err != nil {
		return err
	}
	if s.skipSpace(); s.peek() != ':' {
		return s.unexpected("':'")
	}
	s.at++
	return nil
}

// readQuoted reads a string, and returns the text between its quotes.
func (s *scanner) readQuoted() ([]byte, error) {
	begin := s.at + 1
	for i := begin; i < len(s.text); i++ {
		switch s.text[i] {
		case '\\':
			i++
		case '"':
			s.at = i + 1
			return s.text[begin:i], nil
		}
	}
	s.at = len(s.text)
	return nil, s.unexpected("the end of a string")
}

// readPlain reads a number, true, false or null.
func (s *scanner) readPlain() error {
	begin := s.at
	for s.at < len(s.text) && isPlain(s.text[s.at]) {
		s.at++
	}
	switch word := s.text[begin:s.at]; {
	case len(word) > 0 && (word[0] == '-' || word[0] >= '0' && word[0] <= '9'):
		return nil
	case string(word) == "true", string(word) == "false", string(word) == "null":
		return nil
	}
	s.at = begin
	return s.unexpected("a value")
}

func isPlain(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '+' || c == '.'
}

// peek returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *scanner) skipSpace() {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\n' || s.text[s.at] == '\t' || s.text[s.at] == '\r') {
		s.at++
	}
}

func (s *scanner) unexpected(want string) error {
	if s.at >= len(s.text) {
		return &Error{s.place.Path(), "is no JSON: it ends where " + want + " should be"}
	}
	return &Error{s.place.Path(), fmt.Sprintf("is no JSON: %q at byte %d, where %s should be", s.text[s.at], s.at, want)}
}
