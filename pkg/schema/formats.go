package schema

import (
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"gati.dev/gati/pkg/lazyregexp"
	"gati.dev/gati/pkg/schema/regular"
)

// format is a format that can be evaluated. Unknown formats are equal or undecided.
type format struct {
	accepts func(string) bool
	// examples are strings that have the format and are tried as values.
	examples []string
}

var formats map[string]format

// widerFormats maps a format to those that accept all of its strings.
var widerFormats = map[string][]string{
	"uri": {"uri-reference", "iri", "iri-reference"}, "uri-reference": {"iri-reference"}, "iri": {"iri-reference"},
	"email": {"idn-email"},
}

var (
	hostLabel   = lazyregexp.New(`^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$`)
	uuidText    = lazyregexp.New(`^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`)
	durationISO = lazyregexp.New(`^P(\d+W|(\d+D|\d+M(\d+D)?|\d+Y(\d+M(\d+D)?)?)?(T(\d+S|\d+M(\d+S)?|\d+H(\d+M(\d+S)?)?))?)$`)
	timeText    = lazyregexp.New(`^([01]\d|2[0-3]):[0-5]\d:([0-5]\d)(\.\d+)?([zZ]|[+-]([01]\d|2[0-3]):[0-5]\d)$`)
	pointerText = lazyregexp.New(`^(/([^~/]|~[01])*)*$`)
	// The draft refers to the second relative-json-pointer draft, which adds +1 and -1.
	relativeText = lazyregexp.New(`^(0|[1-9]\d*)([+-](0|[1-9]\d*))?(#|(/([^~/]|~[01])*)*)$`)
	// A URI template is RFC 6570's: expressions in braces, and what a URI may hold.
	templateText = lazyregexp.New(`^([^{}\x00-\x20"'<>\\^` + "`" + `|%\x7f]|%[0-9a-fA-F]{2}|\{[+#./;?&=,!@|]?\w([\w.%]*\w)?(:[1-9]\d{0,3}|\*)?(,\w([\w.%]*\w)?(:[1-9]\d{0,3}|\*)?)*\})*$`)
)

func init() {
	formats = map[string]format{
		"date":                  {isDate, []string{"2024-02-29"}},
		"time":                  {timeText.MatchString, []string{"12:30:00Z", "12:30:00.5+01:00"}},
		"date-time":             {isDateTime, []string{"2024-02-29T12:30:00Z"}},
		"duration":              {func(s string) bool { return len(s) > 1 && s[len(s)-1] != 'T' && durationISO.MatchString(s) }, []string{"P1D", "PT30M"}},
		"email":                 {isEmail, []string{"a@example.com"}},
		"idn-email":             {isEmail, []string{"a@example.com"}},
		"hostname":              {isHostname, []string{"example.com", "a"}},
		"ipv4":                  {func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() }, []string{"192.0.2.1"}},
		"ipv6":                  {func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is6() && a.Zone() == "" }, []string{"2001:db8::1"}},
		"uri":                   {isURI, []string{"https://example.com/a"}},
		"iri":                   {isURI, []string{"https://example.com/a"}},
		"uri-reference":         {isReference, []string{"/a/b", "https://example.com/a"}},
		"iri-reference":         {isReference, []string{"/a/b", "https://example.com/a"}},
		"uuid":                  {uuidText.MatchString, []string{"123e4567-e89b-12d3-a456-426614174000"}},
		"json-pointer":          {pointerText.MatchString, []string{"/a/b", ""}},
		"relative-json-pointer": {relativeText.MatchString, []string{"0", "1/a", "2#"}},
		"uri-template":          {templateText.MatchString, []string{"/a/{id}", "https://example.com/{id}", "{"}},
		"regex":                 {isRegex, []string{"^a$", ""}},
	}
}

// hasFormat evaluates a known format. Values that are not strings pass.
func (j judge) hasFormat(name string, v any) bool {
	s, text := v.(string)
	if text && !j.spend(1+len(s)/formattedPerUnit) {
		return false
	}
	return !text || formats[name].accepts(s)
}

// unknownFormatReadings returns readings of the unknown formats: all of them refuse,
// or a single one does.
func unknownFormatReadings(m *meter, schemas ...*Schema) []judge {
	var names []string
	for _, s := range schemas {
		for _, name := range s.unknownFormats {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	out := []judge{{assertsFormats: true, refusesUnknown: func(string) bool { return true }, meter: m}}
	for _, name := range names {
		out = append(out, judge{assertsFormats: true, refusesUnknown: func(format string) bool { return format == name }, meter: m})
	}
	return out
}

// unknownFormats returns the formats of nodes that cannot be evaluated.
func unknownFormats(nodes []*node) []string {
	var names []string
	for _, n := range nodes {
		if _, known := formats[n.format]; n.format != "" && !known && !slices.Contains(names, n.format) {
			names = append(names, n.format)
		}
	}
	return names
}

// isRegex reports whether JavaScript reads a text as a pattern.
func isRegex(s string) bool { _, err := regular.Parse(s); return err == nil }

func isDate(s string) bool { _, err := time.Parse(time.DateOnly, s); return err == nil }

func isDateTime(s string) bool {
	if len(s) < len("2006-01-02T15:04:05Z") || s[10] != 'T' && s[10] != 't' {
		return false
	}
	return isDate(s[:10]) && timeText.MatchString(s[11:])
}

func isEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	at := strings.LastIndexByte(s, '@')
	return err == nil && a.Address == s && at > 0 && isHostname(s[at+1:])
}

func isHostname(s string) bool {
	if len(s) > 253 {
		return false
	}
	for _, label := range strings.Split(s, ".") {
		if !hostLabel.MatchString(label) {
			return false
		}
	}
	return true
}

func isURI(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.IsAbs() && !strings.Contains(s, `\`)
}

func isReference(s string) bool {
	_, err := url.Parse(s)
	return err == nil && !strings.Contains(s, `\`)
}
