package schema

import "strings"

// Problem is one thing that is wrong with a document.
type Problem struct {
	// Pointer is where, as a JSON pointer; empty for the document itself.
	Pointer string
	// Message says what is wrong and what to do.
	Message string
}

func (p Problem) String() string {
	if p.Pointer == "" {
		return p.Message
	}
	return p.Pointer + " " + p.Message
}

// Problems are what is wrong with a document, in the order of its pointers.
type Problems []Problem

func (p Problems) Error() string {
	texts := make([]string, len(p))
	for i := range p {
		texts[i] = p[i].String()
	}
	return strings.Join(texts, "; ")
}

func newProblem(pointer, message string) error { return Problems{{pointer, message}} }

// escaper writes a name as one part of a JSON pointer.
var escaper = strings.NewReplacer("~", "~0", "/", "~1")

var unescaper = strings.NewReplacer("~1", "/", "~0", "~")

// appendPointer appends a part to a pointer.
func appendPointer(pointer, name string) string {
	if strings.ContainsAny(name, "~/") {
		name = escaper.Replace(name)
	}
	return pointer + "/" + name
}
