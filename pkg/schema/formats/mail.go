package formats

import (
	"strings"
	"unicode/utf8"

	"gati.dev/gati/pkg/lazyregexp"
)

// A local part is RFC 5321's: words with single dots between, or one text in quotes.
// RFC 6531 adds every character beyond ASCII.
var (
	localPart = lazyregexp.New("^(" + atext + `+(\.` + atext + `+)*|"([ !#-\[\]-~` + beyondASCII + `]|\\[ -~])*")$`)
	// addressTag is the tag of an address literal of another kind.
	addressTag = lazyregexp.New(`^[a-zA-Z0-9-]*[a-zA-Z0-9]:[!-Z^-~]+$`)
)

const (
	beyondASCII = `\x{80}-\x{10ffff}`
	atext       = "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~" + beyondASCII + "-]"
)

// maxLocalPart is RFC 5321's limit.
const maxLocalPart = 64

func isEmail(s string) bool {
	return strings.IndexFunc(s, isBeyondASCII) < 0 && isMailbox(s, isHostname)
}

func isInternationalEmail(s string) bool { return isMailbox(s, isInternationalHostname) }

func isBeyondASCII(r rune) bool { return r >= utf8.RuneSelf }

func isMailbox(s string, isDomain func(string) bool) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 0 || at > maxLocalPart || !localPart.MatchString(s[:at]) {
		return false
	}
	domain := s[at+1:]
	if literal, is := strings.CutPrefix(domain, "["); is {
		literal, closed := strings.CutSuffix(literal, "]")
		return closed && isAddressLiteral(literal)
	}
	return isDomain(domain)
}

func isAddressLiteral(s string) bool {
	const version6 = "IPv6:"
	if len(s) > len(version6) && strings.EqualFold(s[:len(version6)], version6) {
		return isIPv6(s[len(version6):])
	}
	return isIPv4(s) || addressTag.MatchString(s)
}
