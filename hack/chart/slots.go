package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// slots are the fields of one document that the values decide. Each is a placeholder in
// the object; its line of YAML gives way to the template's text.
type slots struct{ texts []string }

// addPlaceholder returns the placeholder of a text. The text has the field's own key; INDENT in it
// is the number of columns in which a nested block begins.
func (s *slots) addPlaceholder(text string) string {
	s.texts = append(s.texts, text)
	return fmt.Sprintf("gati-slot-%d", len(s.texts)-1)
}

// setValue sets a field to the values' scalar.
func (s *slots) setValue(in map[string]any, field, expression string) {
	in[field] = s.addPlaceholder(field + ": {{ " + expression + " }}")
}

// setBlock sets a field to the values' list or map.
func (s *slots) setBlock(in map[string]any, field, expression string) {
	in[field] = s.addPlaceholder(field + ":{{ toYaml " + expression + " | nindent INDENT }}")
}

// addOptional adds a field where the values have a list or map that is not empty.
func (s *slots) addOptional(in map[string]any, field, expression string) {
	in[field] = s.addPlaceholder("{{- with " + expression + " }}\n" + field + ":{{ toYaml . | nindent INDENT }}\n{{- end }}")
}

// addConditional adds a text where a condition holds. The name only orders it among its fields.
func (s *slots) addConditional(in map[string]any, name, condition, text string) {
	in[name] = s.addPlaceholder("{{- if " + condition + " }}\n" + text + "\n{{- end }}")
}

// isList begins a text that stands for further items of a list, or fields of a map: it takes the
// place of the whole line.
const isList = "{{- /* more */ -}}"

// moreItems returns an item that adds those of the values to a list.
func (s *slots) moreItems(expression string) map[string]any {
	return map[string]any{"more": s.addPlaceholder(isList + "{{- with " + expression + " }}{{ toYaml . | nindent INDENT }}{{- end }}")}
}

// moreFields adds the fields of the values to a map. The name only orders them.
func (s *slots) moreFields(in map[string]any, name, expression string) {
	in[name] = s.addPlaceholder(isList + "{{- with " + expression + " }}{{ toYaml . | nindent INDENT }}{{- end }}")
}

var slotLine = regexp.MustCompile(`(?m)^( *)(- )?[^ :]+: gati-slot-(\d+)$`)

// replacePlaceholders escapes what Helm would take for an expression, and puts the texts in.
func (s *slots) replacePlaceholders(document string) (string, error) {
	document = strings.ReplaceAll(document, "{{", `{{ "{{" }}`)
	replaced := 0
	document = slotLine.ReplaceAllStringFunc(document, func(line string) string {
		replaced++
		parts := slotLine.FindStringSubmatch(line)
		number, _ := strconv.Atoi(parts[3])
		if more, ok := strings.CutPrefix(s.texts[number], isList); ok {
			return parts[1] + strings.ReplaceAll(more, "INDENT", strconv.Itoa(len(parts[1])))
		}
		indent := parts[1] + strings.Repeat(" ", len(parts[2]))
		text := strings.ReplaceAll(s.texts[number], "INDENT", strconv.Itoa(len(indent)+2))
		return parts[1] + parts[2] + strings.ReplaceAll(text, "\n", "\n"+indent)
	})
	if replaced != len(s.texts) {
		return "", fmt.Errorf("%d of %d fields were found again in the YAML", replaced, len(s.texts))
	}
	return document, nil
}
