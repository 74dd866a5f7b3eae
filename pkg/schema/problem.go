package schema

import "strings"

// Problem is one error of a document.
type Problem struct {
	// Pointer is the JSON pointer of the place; empty for the document itself.
	Pointer string
	// Message describes the error and its remedy.
	Message string
}

func (p Problem) String() string {
	if p.Pointer == "" {
		return p.Message
	}
	return p.Pointer + " " + p.Message
}

// Problems are the errors of a document, in the order of their pointers.
type Problems []Problem

func (p Problems) Error() string {
	texts := make([]string, len(p))
	for i := range p {
		texts[i] = p[i].String()
	}
	return strings.Join(texts, "; ")
}

func newProblem(pointer, message string) error { return Problems{{pointer, message}} }

// escaper and unescaper translate names to tokens of a JSON pointer.
var escaper = strings.NewReplacer("~", "~0", "/", "~1")

var unescaper = strings.NewReplacer("~1", "/", "~0", "~")

func appendPointer(pointer, name string) string {
	if strings.ContainsAny(name, "~/") {
		name = escaper.Replace(name)
	}
	return pointer + "/" + name
}
