package schema

import "strings"

// kind is the kind of a value. Whole numbers and fractions are separate, so that
// integer and number differ by one kind.
type kind uint8

const (
	kindNull kind = iota
	kindBoolean
	kindInteger
	kindFraction
	kindString
	kindArray
	kindObject
	kindCount
)

type kindSet uint8

const (
	allKinds    kindSet = 1<<kindCount - 1
	numberKinds kindSet = 1<<kindInteger | 1<<kindFraction
)

// typeSets are the type names of JSON Schema, in the order of messages.
var typeSets = []struct {
	name string
	set  kindSet
}{
	{"string", 1 << kindString},
	{"number", numberKinds},
	{"integer", 1 << kindInteger},
	{"boolean", 1 << kindBoolean},
	{"object", 1 << kindObject},
	{"array", 1 << kindArray},
	{"null", 1 << kindNull},
}

func kindsOfType(typeName string) (kindSet, bool) {
	for _, t := range typeSets {
		if t.name == typeName {
			return t.set, true
		}
	}
	return 0, false
}

func (s kindSet) has(k kind) bool { return s&(1<<k) != 0 }

// String lists the types of the set for a message.
func (s kindSet) String() string {
	if s == allKinds {
		return "any type"
	}
	var names []string
	for _, t := range typeSets {
		if s&t.set == t.set {
			names = append(names, t.name)
			s &^= t.set
		}
	}
	if s.has(kindFraction) {
		names = append(names, "fractions")
	}
	return strings.Join(names, " or ")
}
