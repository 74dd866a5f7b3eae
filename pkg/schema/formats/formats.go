package formats

import (
	"maps"
	"net/netip"
	"slices"

	"gati.dev/gati/pkg/lazyregexp"
	"gati.dev/gati/pkg/schema/regular"
)

// format is one format of the draft.
type format struct {
	accepts func(string) bool
	// examples are texts that have the format, or nearly.
	examples []string
	// wider are the formats that accept all of its texts.
	wider []string
}

var (
	uuidText    = lazyregexp.New(`^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`)
	pointerText = lazyregexp.New(`^(/([^~/]|~[01])*)*$`)
	// The draft refers to the second relative-json-pointer draft, which adds +1 and -1.
	relativeText = lazyregexp.New(`^(0|[1-9]\d*)([+-](0|[1-9]\d*))?(#|(/([^~/]|~[01])*)*)$`)
)

var (
	// literals are formats that accept letters, digits and marks in any order.
	literals = []string{"uri-template", "regex"}
	// ofHosts are formats that accept host names.
	ofHosts = append([]string{"hostname", "idn-hostname", "uri-reference", "iri-reference"}, literals...)
)

var known = map[string]format{
	"date":                  {isDate, []string{"2024-02-29"}, ofHosts},
	"time":                  {isTime, []string{"12:30:00Z", "12:30:00.5+01:00", "23:59:60Z"}, literals},
	"date-time":             {isDateTime, []string{"2024-02-29T12:30:00Z"}, literals},
	"duration":              {isDuration, []string{"P1D", "PT30M"}, append([]string{"uri-reference", "iri-reference"}, literals...)},
	"email":                 {isEmail, []string{"a@example.com", `"a b"@example.com`}, []string{"idn-email"}},
	"idn-email":             {isInternationalEmail, []string{"a@example.com", "é@example.com"}, nil},
	"hostname":              {isHostname, []string{"example.com", "a"}, ofHosts},
	"idn-hostname":          {isInternationalHostname, []string{"example.com", "bücher.example"}, []string{"iri-reference", "uri-template", "regex"}},
	"ipv4":                  {isIPv4, []string{"192.0.2.1"}, ofHosts},
	"ipv6":                  {isIPv6, []string{"2001:db8::1"}, literals},
	"uri":                   {ascii.isURI, []string{"https://example.com/a"}, []string{"uri-reference", "iri", "iri-reference", "uri-template"}},
	"uri-reference":         {ascii.isReference, []string{"/a/b", "https://example.com/a"}, []string{"iri-reference", "uri-template"}},
	"iri":                   {international.isURI, []string{"https://example.com/a", "https://example.com/é"}, []string{"iri-reference", "uri-template"}},
	"iri-reference":         {international.isReference, []string{"/a/b", "https://example.com/a", "é"}, []string{"uri-template"}},
	"uri-template":          {isTemplate, []string{"/a/{id}", "https://example.com/{id}", "{"}, nil},
	"uuid":                  {uuidText.MatchString, []string{"123e4567-e89b-12d3-a456-426614174000"}, ofHosts},
	"json-pointer":          {pointerText.MatchString, []string{"/a/b", ""}, nil},
	"relative-json-pointer": {relativeText.MatchString, []string{"0", "1/a", "2#"}, nil},
	"regex":                 {isRegex, []string{"^a$", ""}, nil},
}

// IsKnown reports whether a format can be checked.
func IsKnown(name string) bool { _, is := known[name]; return is }

// Accepts reports whether a text has a known format.
func Accepts(name, text string) bool { return known[name].accepts(text) }

// Examples returns a few texts that have a format, or nearly.
func Examples(name string) []string { return known[name].examples }

// Implies reports whether every text of the first format has the second.
func Implies(narrow, wide string) bool {
	return narrow == wide || slices.Contains(known[narrow].wider, wide)
}

// isRegex reports whether JavaScript reads a text as a pattern.
func isRegex(s string) bool { _, err := regular.Parse(s); return err == nil }

func isIPv4(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() }

func isIPv6(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is6() && a.Zone() == ""
}

// Names returns the known formats in order.
func Names() []string { return slices.Sorted(maps.Keys(known)) }
