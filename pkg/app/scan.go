package app

import (
	"slices"
	"strings"

	"gati.dev/gati/pkg/lazyregexp"
)

// reference is an import of a file: a package, or another file.
type reference struct {
	name string
	line int
	// erased reports whether the compiler removes it: it imports types alone.
	erased bool
}

var (
	fromClause = lazyregexp.New(`\b(?:import|export)\s+(type\s)?[\w\s{},*$]*\bfrom\s*['"]([^'"\n]+)['"]`)
	callClause = lazyregexp.New(`\b(?:import|require)\s*\(?\s*['"]([^'"\n]+)['"]`)
)

// findReferences reads the imports of code without comments.
func findReferences(text string) (found []reference) {
	add := func(at, from, to int, erased bool) {
		found = append(found, reference{name: text[from:to], line: lineOf(text, at), erased: erased})
	}
	for _, m := range fromClause.FindAllStringSubmatchIndex(text) {
		add(m[0], m[4], m[5], m[2] >= 0)
	}
	for _, m := range callClause.FindAllStringSubmatchIndex(text) {
		add(m[0], m[2], m[3], false)
	}
	slices.SortStableFunc(found, func(a, b reference) int { return a.line - b.line })
	return found
}

func lineOf(text string, at int) int { return 1 + strings.Count(text[:at], "\n") }

// withoutComments replaces comments by spaces: what is in them is no code, and lines stay
// where they are.
func withoutComments(text string) string {
	out := []byte(text)
	for i := 0; i < len(text); {
		end := i + 1
		switch {
		case strings.HasPrefix(text[i:], "//"):
			end = endOf(text, i, "\n")
			blank(out[i:end])
		case strings.HasPrefix(text[i:], "/*"):
			end = min(endOf(text, i+2, "*/")+2, len(text))
			blank(out[i:end])
		case strings.IndexByte("'\"`", text[i]) >= 0:
			end = endOfLiteral(text, i, text[i])
		case text[i] == '/' && beginsPattern(text[:i]):
			end = endOfLiteral(text, i, '/')
		}
		i = end
	}
	return string(out)
}

func endOf(text string, from int, mark string) int {
	if at := strings.Index(text[from:], mark); at >= 0 {
		return from + at
	}
	return len(text)
}

func blank(text []byte) {
	for i, c := range text {
		if c != '\n' {
			text[i] = ' '
		}
	}
}

// endOfLiteral returns the end of a string or of a regular expression, both of which end
// with the line, except in backquotes.
func endOfLiteral(text string, from int, quote byte) int {
	inClass := false
	for i := from + 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == quote && !inClass, c == '\n' && quote != '`':
			return i + 1
		case quote == '/' && (c == '[' || c == ']'):
			inClass = c == '['
		}
	}
	return len(text)
}

// beginsPattern reports whether a slash behind text begins a regular expression: a
// division has a value before it.
func beginsPattern(text string) bool {
	text = strings.TrimRight(text, " \t\n\r")
	return text == "" || strings.IndexByte("(,=:[!&|?{};+", text[len(text)-1]) >= 0 || strings.HasSuffix(text, "return")
}
