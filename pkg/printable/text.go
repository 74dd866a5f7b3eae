package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// tab replaces a tab, which has no width of its own.
const tab = "    "

// Text escapes all control and format characters, and all bytes that are no UTF-8. Line breaks
// stay, and a tab becomes four spaces.
func Text(text string) string {
	return escapeText(text, func(r rune) (string, bool) {
		switch r {
		case '\n':
			return "\n", true
		case '\t':
			return tab, true
		default:
			return "", false
		}
	})
}

// Line is Text for a place of one line: each run of line breaks and tabs becomes a
// space.
func Line(text string) string {
	if strings.ContainsAny(text, "\t\n\v\f\r\u0085") {
		text = strings.Join(strings.FieldsFunc(text, isBreak), " ")
	}
	return escapeText(text, func(rune) (string, bool) { return "", false })
}

func isBreak(r rune) bool { return r == '\u0085' || r >= '\t' && r <= '\r' }

// escapeText replaces what isEscaped reports, unless layout has something else for it.
func escapeText(text string, layout func(rune) (string, bool)) string {
	if isClean(text) {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		piece := text[i : i+size]
		if other, ok := layout(r); ok {
			piece = other
		} else if isUnsafe(r, size) {
			piece = escapeOne(piece, r)
		}
		out.WriteString(piece)
		i += size
	}
	return out.String()
}

// isClean reports whether nothing has to be escaped.
func isClean(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, isObeyed)
}

// isUnsafe reports whether a character has to be escaped: one that a terminal may obey, or a
// single byte of C1, which is no UTF-8.
func isUnsafe(r rune, size int) bool {
	return isObeyed(r) || r == utf8.RuneError && size == 1
}

// isObeyed reports whether a terminal may obey a character instead of showing it: those of C0
// and C1, DEL, and Unicode's format characters and separators of lines, which turn the order
// of the text around them (U+202E), or hide it.
func isObeyed(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

// escapeOne writes a character as kubectl does where kubectl escapes it, else by its
// number.
func escapeOne(piece string, r rune) string {
	switch r {
	case '\x1b':
		return "^["
	case '\r':
		return `\r`
	case utf8.RuneError:
		return fmt.Sprintf(`\x%02x`, piece[0])
	default:
		if r > unicode.MaxLatin1 {
			return fmt.Sprintf(`\u%04x`, r)
		}
		return fmt.Sprintf(`\x%02x`, r)
	}
}

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
