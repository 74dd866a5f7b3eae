package schema

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// What a document may hold. The limits are checked before anything is built from
// it, so that a hostile one costs no more than reading it once.
const (
	// MaxBytes is how long a document may be.
	MaxBytes = 64 << 10
	// MaxNesting is how deep its JSON may be nested: MaxDepth schemas, each below a
	// keyword.
	MaxNesting = 2 * MaxDepth
	// MaxDepth is how deep schemas may stand in each other.
	MaxDepth = 32
	// MaxProperties is how many properties all of its schemas may name.
	MaxProperties = 1000
	// MaxSchemas is how many schemas may stand in it, every branch and property
	// counted.
	MaxSchemas = 4000
	// maxNumber is how long a number may be written, and maxExponent what its
	// exponent may be: arithmetic is exact, and 1e400000000 has as many digits.
	maxNumber   = 64
	maxExponent = 308
	// maxCount bounds lengths and counts; no document is longer.
	maxCount = 1<<31 - 1
	// maxPattern and maxPatterns bound what one pattern and all of them compile to.
	maxPattern  = 4000
	maxPatterns = 40000
	// maxProblems is how many problems of a document are told at once.
	maxProblems = 10
)

// checkLimits refuses documents that are too long, too deep or no text.
func checkLimits(raw []byte) error {
	if len(raw) > MaxBytes {
		return newProblem("", fmt.Sprintf("has %d bytes; a schema must have at most %d: shorten its texts, and say what is repeated once under $defs", len(raw), MaxBytes))
	}
	if !utf8.Valid(raw) {
		return newProblem("", "is not valid UTF-8; save the file as UTF-8")
	}
	if depth := nestingDepth(raw); depth > MaxNesting {
		return newProblem("", fmt.Sprintf("is nested %d levels deep; a schema must have at most %d: name the inner parts under $defs and refer to them", depth, MaxNesting))
	}
	return nil
}

// nestingDepth is how deep brackets are nested, those in texts left out.
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

// endOfString is the index of the quote that ends the text at the beginning of raw.
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
