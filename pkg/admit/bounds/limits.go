package bounds

import "fmt"

// Limits bound what a text may hold.
type Limits struct {
	// Values bounds all values of the text: lists, objects and plain ones.
	Values int
	// Items bounds the items of each list, and the fields of each object.
	Items int
}

// Error is a limit that a text breaks.
type Error struct {
	// Path is where, such as spec.env; empty at the top of the text.
	Path string
	// Problem is what is wrong there.
	Problem string
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Problem
	}
	return e.Path + ": " + e.Problem
}

// Check returns how many values a text has, or the first limit that it breaks.
func (l Limits) Check(text []byte) (values int, err error) {
	err = Scan(text, func(p *Place) error {
		if p.Items() > l.Items {
			return &Error{p.Parent(), fmt.Sprintf("has more than %d items, which is the most that is read", l.Items)}
		}
		if p.Values() > l.Values {
			return &Error{p.Path(), fmt.Sprintf("the text has more than %d values up to here, which is the most that is read", l.Values)}
		}
		values = p.Values()
		return nil
	})
	return values, err
}
