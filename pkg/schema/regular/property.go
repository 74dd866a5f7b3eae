package regular

import (
	"fmt"
	"strings"
	"unicode"
)

// readProperty reads \p{…} or \P{…}. What package unicode has no table for is beyond.
func (p *parser) readProperty() (of set, is bool, err error) {
	rest := p.rest()
	end := strings.IndexByte(rest, '}')
	if !strings.HasPrefix(rest[2:], "{") || end < 0 {
		return nil, false, fmt.Errorf(`has the escape %s without a property in braces; write \p{L}`, shorten(rest))
	}
	p.at += end + 1
	text := rest[len(`\p{`):end]
	of, known := propertySet(text)
	switch {
	case strings.HasPrefix(text, "^"):
		return nil, false, fmt.Errorf(`has the escape \p{^…}, which is not ECMA-262; write \P{%s}`, text[1:])
	case !known && unicode.Scripts[text] != nil:
		return nil, false, fmt.Errorf(`has the escape \p{%s}, which is not ECMA-262; write \p{Script=%s}`, text, text)
	case !known:
		p.note("the property " + rest[:end+1])
	case rest[1] == 'P':
		of = of.complement()
	}
	return of, true, nil
}

// propertySet returns the characters that have a property: a general category, by its short
// or long name, a script by its long name, or one of a few others.
func propertySet(text string) (set, bool) {
	name, value, isPair := strings.Cut(text, "=")
	switch {
	case !isPair:
		if of, known := categorySet(name); known {
			return of, true
		}
		return otherSet(name)
	case name == "General_Category" || name == "gc":
		return categorySet(value)
	case name == "Script" || name == "sc":
		table, known := unicode.Scripts[value]
		if !known {
			return nil, false
		}
		return tableSet(table), true
	}
	return nil, false
}

func categorySet(name string) (set, bool) {
	if short, is := unicode.CategoryAliases[name]; is {
		name = short
	}
	table, known := unicode.Categories[name]
	if !known {
		return nil, false
	}
	return tableSet(table), true
}

// otherSet returns the characters of a property that is neither category nor script.
func otherSet(name string) (set, bool) {
	join := func(tables ...*unicode.RangeTable) (set, bool) {
		var of set
		for _, t := range tables {
			of = of.union(tableSet(t))
		}
		return of, true
	}
	switch name {
	case "Any":
		return everything, true
	case "ASCII":
		return newSet(span{0, unicode.MaxASCII}), true
	case "Alphabetic", "Alpha":
		return join(unicode.L, unicode.Nl, unicode.Other_Alphabetic)
	case "Lowercase", "Lower":
		return join(unicode.Ll, unicode.Other_Lowercase)
	case "Uppercase", "Upper":
		return join(unicode.Lu, unicode.Other_Uppercase)
	case "White_Space", "space":
		return join(unicode.White_Space)
	case "ASCII_Hex_Digit", "AHex":
		return join(unicode.ASCII_Hex_Digit)
	}
	return nil, false
}
