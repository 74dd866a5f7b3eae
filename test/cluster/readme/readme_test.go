package readme

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

const (
	readme  = "../../../README.md"
	section = "## A tour\n"
)

// tour is the README, taken apart: between the texts stands what the steps print.
type tour struct {
	before, after string
	blocks        []block
}

// block is a fenced block of code, or the prose in front of one.
type block struct{ kind, text string }

var (
	fence = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```\n")
	named = regexp.MustCompile("`(enter|esc|space|[a-zA-Z?/])`")
	// pressed are the keys that a terminal does not send as they are called.
	pressed = map[string]string{"enter": "\r", "esc": "\x1b", "space": " "}
)

// loadTour takes the README apart.
func loadTour(t *testing.T) *tour {
	t.Helper()
	raw, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(raw), section)
	if !found {
		t.Fatalf("%s has no section %q", readme, section)
	}
	text, after, _ := strings.Cut(rest, "\n## ")
	r := &tour{before: before + section, after: "\n## " + after}
	at := 0
	for _, m := range fence.FindAllStringSubmatchIndex(text, -1) {
		r.blocks = append(r.blocks, block{"", text[at:m[0]]}, block{text[m[2]:m[3]], text[m[4]:m[5]]})
		at = m[1]
	}
	r.blocks = append(r.blocks, block{"", text[at:]})
	return r
}

// saveReadme writes the README with what the blocks have come to be.
func (r *tour) saveReadme(t *testing.T) {
	t.Helper()
	var out strings.Builder
	out.WriteString(r.before)
	for _, b := range r.blocks {
		if b.kind == "" {
			out.WriteString(b.text)
		} else {
			out.WriteString("```" + b.kind + "\n" + b.text + "```\n")
		}
	}
	out.WriteString(r.after)
	if err := os.WriteFile(readme, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// command is one of a block with what it prints. It may go over several lines: those of
// a here-document are part of it.
type command struct{ typed, prints string }

func parseCommands(text string) []command {
	var out []command
	end := "" // of a here-document
	for line := range strings.Lines(text) {
		last := len(out) - 1
		switch {
		case end != "":
			out[last].typed += line
			if strings.TrimSpace(line) == end {
				end = ""
			}
		case strings.HasPrefix(line, "$ "):
			out = append(out, command{typed: strings.TrimPrefix(line, "$ ")})
			if _, mark, opens := strings.Cut(line, "<<"); opens {
				end = strings.Trim(strings.TrimSpace(mark), "'")
			}
		case last >= 0:
			out[last].prints += line
		}
	}
	return out
}

// formatCommands returns a block of commands with what they print.
func formatCommands(list []command) string {
	var out strings.Builder
	for _, c := range list {
		out.WriteString("$ " + c.typed + c.prints)
	}
	return out.String()
}

// namedKeys are those that prose names.
func namedKeys(prose string) []string {
	var out []string
	for _, m := range named.FindAllStringSubmatch(prose, -1) {
		out = append(out, m[1])
	}
	return out
}
