package cli

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// oneLine makes one line of a message, and begins it with a small letter unless
// it begins with a name or an abbreviation.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	first, size := utf8.DecodeRuneInString(text)
	second, _ := utf8.DecodeRuneInString(text[size:])
	if unicode.IsUpper(first) && (unicode.IsLower(second) && !isName(text)) {
		return string(unicode.ToLower(first)) + text[size:]
	}
	return text
}

// isName reports whether the first word has capitals inside, as GatiHandler has.
func isName(text string) bool {
	word, _, _ := strings.Cut(text, " ")
	return strings.ContainsFunc(word[1:], unicode.IsUpper)
}
