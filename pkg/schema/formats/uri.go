package formats

import (
	"strings"

	"gati.dev/gati/pkg/lazyregexp"
)

// alphabet are the characters of RFC 3986, or those of RFC 3987 with wide.
type alphabet struct{ wide bool }

var (
	ascii         = alphabet{}
	international = alphabet{wide: true}
)

const (
	unreservedMarks = "-._~"
	subDelimiters   = "!$&'()*+,;="
)

var (
	scheme     = lazyregexp.New(`^[a-zA-Z][a-zA-Z0-9+.-]*$`)
	futureHost = lazyregexp.New(`^[vV][0-9a-fA-F]+\.[a-zA-Z0-9._~!$&'()*+,;=:-]+$`)
	// A URI template is RFC 6570's: expressions in braces, and literals.
	template = lazyregexp.New(`^([^{}\x00-\x20"<>\\^` + "`" + `|%\x7f-\x{9f}]|%[0-9a-fA-F]{2}|\{[+#./;?&=,!@|]?` + variables + `\})*$`)
)

// variables is a list of names, each with a prefix or the mark of an exploded list.
const (
	variables = variable + `(,` + variable + `)*`
	variable  = character + `(\.?` + character + `)*(:[1-9]\d{0,3}|\*)?`
	character = `(\w|%[0-9a-fA-F]{2})`
)

func isTemplate(s string) bool { return template.MatchString(s) }

func (a alphabet) isURI(s string) bool {
	before, rest, found := strings.Cut(s, ":")
	return found && scheme.MatchString(before) && a.isHierarchy(rest)
}

func (a alphabet) isReference(s string) bool {
	if a.isURI(s) {
		return true
	}
	first, _, _ := strings.Cut(s, "/")
	first, _, _ = strings.Cut(first, "?")
	first, _, _ = strings.Cut(first, "#")
	return !strings.Contains(first, ":") && a.isHierarchy(s)
}

// isHierarchy is what follows the scheme: authority, path, query and fragment.
func (a alphabet) isHierarchy(s string) bool {
	s, fragment, _ := strings.Cut(s, "#")
	path, query, _ := strings.Cut(s, "?")
	if rest, given := strings.CutPrefix(path, "//"); given {
		end := strings.IndexByte(rest, '/')
		if end < 0 {
			end = len(rest)
		}
		if path = rest[end:]; !a.isAuthority(rest[:end]) {
			return false
		}
	}
	const inPath = ":@/"
	return a.holds(path, inPath, false) && a.holds(query, inPath+"?", true) && a.holds(fragment, inPath+"?", false)
}

func (a alphabet) isAuthority(s string) bool {
	host := s
	if at := strings.IndexByte(s, '@'); at >= 0 {
		if host = s[at+1:]; !a.holds(s[:at], ":", false) {
			return false
		}
	}
	if strings.HasPrefix(host, "[") {
		address, port, closed := strings.Cut(host[1:], "]")
		return closed && (isIPv6(address) || futureHost.MatchString(address)) && (port == "" || port[0] == ':' && areDigits(port[1:]))
	}
	name, port, _ := strings.Cut(host, ":")
	return a.holds(name, "", false) && areDigits(port)
}

func areDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// holds reports whether a text has unreserved characters, sub-delimiters, escapes and
// some more, and in a query those of private use.
func (a alphabet) holds(s, more string, inQuery bool) bool {
	for i, r := range s {
		switch {
		case r == '%':
			if len(s) < i+3 || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return false
			}
		case isLetterOrDigit(r) || strings.ContainsRune(unreservedMarks+subDelimiters, r) || strings.ContainsRune(more, r):
		case !a.wide || !isInternational(r) && (!inQuery || !isPrivate(r)):
			return false
		}
	}
	return true
}

func isLetterOrDigit(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// isInternational reports whether a character is RFC 3987's ucschar.
func isInternational(r rune) bool {
	switch {
	case r < 0x10000:
		return r >= 0xa0 && r <= 0xd7ff || r >= 0xf900 && r <= 0xfdcf || r >= 0xfdf0 && r <= 0xffef
	case r >= 0xe0000 && r < 0xe1000:
		return false
	}
	return r < 0xf0000 && r&0xffff <= 0xfffd
}

func isPrivate(r rune) bool {
	return r >= 0xe000 && r <= 0xf8ff || r >= 0xf0000 && r&0xffff <= 0xfffd
}
