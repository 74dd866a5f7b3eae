package main

import "strings"

// escapes are the characters that Markdown would take for its own.
var escapes = strings.NewReplacer("<", "&lt;", "*", `\*`, "_", `\_`)

// prose makes Markdown of a help text: its paragraphs, and what is indented as it
// stands.
func prose(text string) string {
	var b strings.Builder
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		switch {
		case block == "":
		case strings.HasPrefix(block, "  "):
			b.WriteString("```\n" + unindented(block) + "\n```\n\n")
		default:
			b.WriteString(escapes.Replace(strings.Join(strings.Fields(block), " ")) + "\n\n")
		}
	}
	return b.String()
}

// cell is a text in a cell of a table.
func cell(text string) string {
	return strings.ReplaceAll(escapes.Replace(strings.Join(strings.Fields(text), " ")), "|", `\|`)
}

// unindented takes away what all lines of a block are indented by.
func unindented(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, "  ")
	}
	return strings.Join(lines, "\n")
}
