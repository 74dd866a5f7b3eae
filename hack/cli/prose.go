package main

import "strings"

// markdownEscaper escapes the characters of Markdown.
var markdownEscaper = strings.NewReplacer("<", "&lt;", "*", `\*`, "_", `\_`)

// toMarkdown converts a help text: paragraphs, and indented blocks as code.
func toMarkdown(text string) string {
	var b strings.Builder
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		switch {
		case block == "":
		case strings.HasPrefix(block, "  "):
			b.WriteString("```\n" + removeIndent(block) + "\n```\n\n")
		default:
			b.WriteString(markdownEscaper.Replace(strings.Join(strings.Fields(block), " ")) + "\n\n")
		}
	}
	return b.String()
}

// toCell returns a text for a cell of a table.
func toCell(text string) string {
	return strings.ReplaceAll(markdownEscaper.Replace(strings.Join(strings.Fields(text), " ")), "|", `\|`)
}

// removeIndent removes the common indentation of a block.
func removeIndent(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, "  ")
	}
	return strings.Join(lines, "\n")
}
