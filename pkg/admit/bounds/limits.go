package bounds

import "fmt"

// Limits bound the values of a text.
type Limits struct {
	// Values bounds all values of the text: lists, objects and plain ones.
	Values int
	// Items bounds the items of each list, and the fields of each object.
	Items int
	// Structs bounds the items of each list that are objects or lists themselves.
	Structs int
}

// Object are the limits of an object that a client sends. What is stored is bounded by the
// CRDs, but the API server sends an object to the mutating hook before it looks at them.
var Object = Limits{Values: 100_000, Items: 10_000, Structs: 1_000}

// Error is a limit that a text breaks.
type Error struct {
	// Path is where, such as spec.env; empty at the top of the text.
	Path string
	// Problem is the broken limit.
	Problem string
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Problem
	}
	return e.Path + ": " + e.Problem
}

// Errorf returns an error about the value.
func (p *Place) Errorf(format string, args ...any) error {
	return &Error{p.Path(), fmt.Sprintf(format, args...)}
}

// Count is the number of values of a text.
type Count struct {
	Values int
	// Structs are the items of lists that are objects or lists themselves.
	Structs int
}

// Check counts the values of a text, or returns the first limit that it breaks.
func (l Limits) Check(text []byte) (n Count, err error) {
	err = Scan(text, func(p *Place) error {
		most := l.Items
		if p.IsStruct() {
			most = l.Structs
			n.Structs++
		}
		if p.Items() > most {
			return &Error{p.Parent(), fmt.Sprintf("has more than %d items, which is the most that is read", most)}
		}
		if n.Values = p.Values(); n.Values > l.Values {
			return p.Errorf("the text has more than %d values up to here, which is the most that is read", l.Values)
		}
		return nil
	})
	return n, err
}
