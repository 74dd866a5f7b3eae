package schema

import (
	"slices"

	"gati.dev/gati/pkg/schema/formats"
)

// hasFormat evaluates a known format. Values that are not strings pass.
func (j judge) hasFormat(name string, v any) bool {
	s, text := v.(string)
	if text && !j.spend(1+len(s)/formattedPerUnit) {
		return false
	}
	return !text || formats.Accepts(name, s)
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
		if n.format != "" && !formats.IsKnown(n.format) && !slices.Contains(names, n.format) {
			names = append(names, n.format)
		}
	}
	return names
}
