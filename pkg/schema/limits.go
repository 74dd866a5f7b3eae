package schema

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// The limits of a document. They are checked before anything is built, so a hostile
// document costs no more than one parse.
const (
	// MaxBytes is the longest document.
	MaxBytes = 64 << 10
	// MaxNesting is the deepest JSON: MaxDepth schemas, each below a keyword.
	MaxNesting = 2 * MaxDepth
	// MaxDepth is the deepest nesting of schemas.
	MaxDepth = 32
	// MaxProperties is the most properties of all schemas of a document.
	MaxProperties = 1000
	// MaxSchemas is the most schemas of a document, every branch and property counted.
	MaxSchemas = 4000
	// maxNumber bounds the characters of a number, maxExponent its exponent: arithmetic
	// is exact, and 1e400000000 has as many digits.
	maxNumber   = 64
	maxExponent = 308
	// maxCount bounds sizes; no document is longer.
	maxCount = 1<<31 - 1
	// maxPattern bounds the steps of one compiled pattern, maxPatterns those of all.
	maxPattern  = 4000
	maxPatterns = 40000
	// maxProblems is the most problems that are reported of one document.
	maxProblems = 10
)

// checkLimits refuses documents that are too long, nested too deeply or not UTF-8.
func checkLimits(raw []byte) error {
	if len(raw) > MaxBytes {
		return newProblem("", fmt.Sprintf("has %d bytes; a schema must have at most %d: shorten its texts, and move repeated parts to $defs", len(raw), MaxBytes))
	}
	if !utf8.Valid(raw) {
		return newProblem("", "is not valid UTF-8; save the file as UTF-8")
	}
	if depth := nestingDepth(raw); depth > MaxNesting {
		return newProblem("", fmt.Sprintf("is nested %d levels deep; a schema must have at most %d: name the inner parts under $defs and refer to them", depth, MaxNesting))
	}
	return nil
}

// nestingDepth returns the deepest nesting of brackets outside strings.
func nestingDepth(raw []byte) int {
	depth, deepest := 0, 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i += endOfString(raw[i:])
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	return deepest
}

// endOfString returns the index of the quote that ends the string at the start of
// raw.
func endOfString(raw []byte) int {
	for i := 1; i < len(raw); i++ {
		next := bytes.IndexAny(raw[i:], `"\`)
		if next < 0 {
			break
		}
		i += next
		if raw[i] == '"' {
			return i
		}
		i++ // what is escaped
	}
	return len(raw)
}
