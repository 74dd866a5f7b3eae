package bounds

import "errors"

// Cut returns a text in which each value that isCut reports is null. It changes the text
// in place, and visits nothing within what it cuts.
func Cut(text []byte, isCut func(*Place) bool) ([]byte, error) {
	out := text[:0]
	kept := 0 // what follows is not yet in out
	s := scanner{text: text, visit: func(p *Place, s *scanner) error {
		if !isCut(p) {
			return nil
		}
		begin := s.at
		if err := s.skipValue(); err != nil {
			return err
		}
		if s.at-begin > len("null") {
			out = append(append(out, text[kept:begin]...), "null"...)
			kept = s.at
		}
		return nil
	}}
	if err := s.run(); err != nil {
		return nil, err
	}
	return append(out, text[kept:]...), nil
}

var errFound = errors.New("found")

// Find returns the text of the field that the keys lead to, nil where there is none.
func Find(text []byte, keys ...string) (value []byte) {
	s := scanner{text: text, visit: func(p *Place, s *scanner) error {
		if !p.IsAt(keys...) {
			return nil
		}
		begin := s.at
		if err := s.skipValue(); err != nil {
			return err
		}
		value = text[begin:s.at]
		return errFound
	}}
	_ = s.run() // What is no JSON has no field.
	return value
}

// skipValue passes over a value, and checks no more of it than where it ends.
func (s *scanner) skipValue() error {
	for depth := 0; ; {
		switch s.skipSpace(); s.peek() {
		case '{', '[':
			depth++
			s.at++
		case '}', ']':
			depth--
			s.at++
		case '"':
			if _, err := s.readQuoted(); err != nil {
				return err
			}
		case ',', ':':
			s.at++
		default:
			if err := s.readPlain(); err != nil {
				return err
			}
		}
		if depth <= 0 {
			return nil
		}
	}
}
