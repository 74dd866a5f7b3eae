package printable

import (
	"fmt"
	"strings"
)

// JSON returns an encoded document with the same content and no control character that a
// terminal obeys: encoding/json escapes those of C0, and leaves DEL and C1 in strings.
func JSON(document string) string {
	if !strings.ContainsFunc(document, isBeyondC0) {
		return document
	}
	var out strings.Builder
	for _, r := range document {
		if isBeyondC0(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// isBeyondC0 reports whether a character is DEL or one of C1.
func isBeyondC0(r rune) bool { return r >= '\x7f' && r <= '\u009f' }
