package statustest

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"gati.dev/gati/pkg/status"
)

// Forged begins the line that Hostile tries to write.
const Forged = "FORGED"

// Hostile is a text that no terminal may receive: it writes the clipboard, clears the
// screen, changes the colour and forges a line, by C0, C1 and DEL; and it turns, hides and
// breaks the text around it by format characters.
const Hostile = "A\x1b]52;c;QUFB\a\x1b[35m\u009b2J\u009d0;B\u009c\x7f\b\r\n" + Forged + "\t\v\x00\u202e\u2066\u200b\u2028\u2029\ufeff\U000e0041C"

// identity names the fields that find an object; without them there is nothing to show.
var identity = []string{"Name", "Namespace", "UID", "ResourceVersion", "Labels", "OwnerReferences", "Kind", "APIVersion", "Workload", "Selector", "MatchLabels"}

// HostileScenarios are scenarios that show every kind of text.
var HostileScenarios = []string{"healthy", "image-pull", "module-denied", "unbound", "canary", "draining", "rollout-manual", "rollout-rejected"}

// HostileSeeds are the seeds with which MakeHostile has spoiled every string.
const HostileSeeds uint64 = 2 * everyNth

// everyNth is how many strings lie between two spoiled ones. Spoiling all of them at once
// would hide the texts that are derived from valid values.
const everyNth = 3

// MakeHostile returns a scenario with Hostile added to every third of its strings, other ones
// with each seed. Those that find an object stay with even seeds.
func MakeHostile(scenario string, seed uint64) status.Objects {
	objs, has := Scenarios()[scenario]
	if !has {
		panic("no scenario " + scenario)
	}
	s := spoiler{next: seed / 2, all: seed%2 == 1}
	s.spoil(reflect.ValueOf(&objs).Elem())
	return objs
}

// spoiler adds Hostile to strings in turn.
type spoiler struct {
	next uint64
	// all is true where those that find an object are among them.
	all bool
}

func (s *spoiler) isNext() bool {
	s.next++
	return s.next%everyNth == 0
}

func (s *spoiler) spoil(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() && s.isNext() {
			v.SetString(v.String() + Hostile)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			s.spoil(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			s.spoil(v.Index(i))
		}
	case reflect.Map:
		s.spoilMap(v)
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if field.IsExported() && (s.all || !slices.Contains(identity, field.Name)) {
				s.spoil(v.Field(i))
			}
		}
	}
}

func (s *spoiler) spoilMap(v reflect.Value) {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, key := range keys {
		if value := v.MapIndex(key); value.Kind() == reflect.String && s.isNext() {
			v.SetMapIndex(key, reflect.ValueOf(value.String()+Hostile).Convert(value.Type()))
		}
	}
}

// ours are the sequences that output may hold.
var ours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// CheckPrintable returns what a terminal would obey in an output. Styles are allowed,
// but for that of Hostile.
func CheckPrintable(out string) error {
	if strings.Contains(out, "\x1b[35m") {
		return fmt.Errorf("it holds the colour of an object")
	}
	for line := range strings.SplitSeq(ours.ReplaceAllString(out, ""), "\n") {
		if i := strings.IndexFunc(line, isObeyed); i >= 0 {
			return fmt.Errorf("it holds a control or format character: %q", line)
		}
	}
	return nil
}

func isObeyed(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }
