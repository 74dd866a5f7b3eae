package bounds

import "errors"

var errFound = errors.New("found")

// Find returns the text of the field that the keys lead to, nil where there is none.
func Find(text []byte, keys ...string) (value []byte) {
	s := scanner{text: text, visit: func(p *Place, s *scanner) error {
		if !p.IsAt(keys...) {
			return nil
		}
		begin := s.at
		if err := s.skip(); err != nil {
			return err
		}
		value = text[begin:s.at]
		return errFound
	}}
	_ = s.run() // What is no JSON has no field.
	return value
}
