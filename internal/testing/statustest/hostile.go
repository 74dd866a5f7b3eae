package statustest

import (
	"fmt"
	"math/rand/v2"
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
// screen, changes the colour and forges a line, by C0, C1 and DEL.
const Hostile = "A\x1b]52;c;QUFB\a\x1b[35m\u009b2J\u009d0;B\u009c\x7f\b\r\n" + Forged + "\t\v\x00C"

// identity names the fields that find an object; without them there is nothing to show.
var identity = []string{"Name", "Namespace", "UID", "ResourceVersion", "Labels", "OwnerReferences", "Kind", "APIVersion", "Workload", "Selector", "MatchLabels"}

// HostileScenarios are scenarios that show every kind of text.
var HostileScenarios = []string{"healthy", "image-pull", "module-denied", "unbound", "canary", "draining", "rollout-manual", "rollout-rejected"}

// MakeHostile returns a scenario with Hostile added to a part of its strings, other ones
// with each seed. Those that find an object stay with even seeds.
func MakeHostile(scenario string, seed uint64) status.Objects {
	objs, has := Scenarios()[scenario]
	if !has {
		panic("no scenario " + scenario)
	}
	spoil(reflect.ValueOf(&objs).Elem(), rand.New(rand.NewPCG(seed, 19)), seed%2 == 1)
	return objs
}

func spoil(v reflect.Value, r *rand.Rand, all bool) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() && r.IntN(3) == 0 {
			v.SetString(v.String() + Hostile)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			spoil(v.Elem(), r, all)
		}
	case reflect.Slice:
		for i := range v.Len() {
			spoil(v.Index(i), r, all)
		}
	case reflect.Map:
		spoilMap(v, r)
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if field.IsExported() && (all || !slices.Contains(identity, field.Name)) {
				spoil(v.Field(i), r, all)
			}
		}
	}
}

func spoilMap(v reflect.Value, r *rand.Rand) {
	for _, key := range v.MapKeys() {
		if value := v.MapIndex(key); value.Kind() == reflect.String && r.IntN(3) == 0 {
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
		if i := strings.IndexFunc(line, unicode.IsControl); i >= 0 {
			return fmt.Errorf("it holds a control character: %q", line)
		}
	}
	return nil
}
