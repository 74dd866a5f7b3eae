package printable

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

// JSON returns an encoded document with the same content and no character that a terminal
// obeys: encoding/json escapes those of C0, and leaves the others in strings.
func JSON(document string) string {
	if !strings.ContainsFunc(document, isBeyondC0) {
		return document
	}
	var out strings.Builder
	for _, r := range document {
		if !isBeyondC0(r) {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.String()
}

// isBeyondC0 reports whether a terminal may obey a character that is none of C0, which the
// layout of a document has.
func isBeyondC0(r rune) bool { return r >= '\x7f' && isObeyed(r) }
