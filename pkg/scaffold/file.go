package scaffold

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"gati.dev/gati/pkg/schema"
)

// Pair is the input of a file.
type Pair struct {
	// Handler is the name of the handler.
	Handler string
	// From is the version whose callers are served, To the version that serves them.
	From, To string
	Old, New schema.Version
	// Findings are the differences that break callers.
	Findings []schema.Finding
	// TypeScript is the language of the file; otherwise it is JavaScript.
	TypeScript bool
}

// FileName returns the name under which an application has the file.
func (p Pair) FileName() string {
	suffix := "js"
	if p.TypeScript {
		suffix = "ts"
	}
	return fmt.Sprintf("%s-%s-to-%s.%s", p.Handler, strings.TrimPrefix(p.From, "tsv:"), strings.TrimPrefix(p.To, "tsv:"), suffix)
}

// RequestName returns the name of the function for requests.
func (p Pair) RequestName() string { return camelCase(p.Handler) + "Up" }

// ResponseName returns the name of the function for responses.
func (p Pair) ResponseName() string { return camelCase(p.Handler) + "Down" }

// camelCase joins the words of an object's name: user-orders is userOrders.
func camelCase(name string) string {
	var out strings.Builder
	for i, word := range strings.Split(name, "-") {
		if i > 0 && word != "" {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		out.WriteString(word)
	}
	return out.String()
}

// File returns the source. A direction without a finding is identity.
func (p Pair) File() string {
	var out strings.Builder
	fmt.Fprintf(&out, "// Serves callers of %s of the handler %s on %s.\n", p.From, p.Handler, p.To)
	request := function{
		name: p.RequestName(), text: fmt.Sprintf("Turns a request of %s into one of %s.", p.From, p.To),
		from: side{"OldInput", p.Old.Input}, to: side{"NewInput", p.New.Input}, findings: p.findingsOf(schema.Request),
	}
	response := function{
		name: p.ResponseName(), text: fmt.Sprintf("Turns a response of %s into one of %s.", p.To, p.From),
		from: side{"NewOutput", p.New.Output}, to: side{"OldOutput", p.Old.Output}, findings: p.findingsOf(schema.Response),
	}
	for _, s := range []side{request.from, request.to, response.to, response.from} {
		if p.TypeScript {
			fmt.Fprintf(&out, "\ntype %s = %s;\n", s.name, s.typeText())
		} else {
			fmt.Fprintf(&out, "\n/** @typedef {%s} %s */\n", s.typeText(), s.name)
		}
	}
	for _, f := range []function{request, response} {
		f.writeTo(&out, p.TypeScript)
	}
	return out.String()
}

func (p Pair) findingsOf(direction schema.Direction) []schema.Finding {
	return slices.DeleteFunc(slices.Clone(p.Findings), func(f schema.Finding) bool { return f.Direction != direction })
}

// side is one end of a function.
type side struct {
	name   string
	schema *schema.Schema
}

func (s side) typeText() string {
	if s.schema == nil {
		return "any"
	}
	return typeOf(s.schema.Document())
}

// function is one exported function of the file.
type function struct {
	name, text string
	from, to   side
	findings   []schema.Finding
}

func (f function) writeTo(out *strings.Builder, typeScript bool) {
	if typeScript {
		// With other properties as any the file compiles before the TODOs are done.
		fmt.Fprintf(out, "\n/** %s */\nexport function %s(body: %s & Record<string, any>): %s {\n", f.text, f.name, f.from.name, f.to.name)
	} else {
		fmt.Fprintf(out, "\n/**\n * %s\n * @param {%s} body\n * @returns {%s}\n */\nexport function %s(body) {\n", f.text, f.from.name, f.to.name, f.name)
	}
	root := newPlace(f.findings)
	for _, line := range root.comments {
		fmt.Fprintf(out, "  // %s\n", line)
	}
	e := expression{containers: f.containerSchemas(), typeScript: typeScript}
	fmt.Fprintf(out, "  return %s;\n}\n", e.valueOf(root, "body", "", 1))
}

// containerSchemas returns the documents in which a place is looked up: first the schema of
// the argument, then the schema of the result.
func (f function) containerSchemas() []any {
	var out []any
	for _, s := range []side{f.from, f.to} {
		if s.schema != nil {
			out = append(out, s.schema.Document())
		}
	}
	return out
}

// commentLines are the lines of a finding: the difference, an example and the remedy.
func commentLines(f schema.Finding) []string {
	lines := []string{fmt.Sprintf("TODO %s: %s", f.Rule, f.Message)}
	if len(f.Witness) > 0 {
		lines = append(lines, "  for example "+clipText(string(f.Witness)))
	}
	for i, line := range lines {
		lines[i] = replaceControls(line)
	}
	return lines
}

// maxWitness bounds the example in a comment.
const maxWitness = 200

func clipText(text string) string {
	if runes := []rune(text); len(runes) > maxWitness {
		return string(runes[:maxWitness]) + "…"
	}
	return text
}

// replaceControls prevents text of a schema from ending a comment or controlling a terminal.
func replaceControls(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}
