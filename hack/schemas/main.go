// Command schemas writes docs/schema-compatibility.md from the pairs of
// internal/schemacases and the answers of pkg/schema.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"

	"gati.dev/gati/internal/schemacases"
	"gati.dev/gati/pkg/schema"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "schemas:", err)
		os.Exit(1)
	}
}

func run() error {
	out := flag.String("o", "", "write to this file, not to standard output")
	flag.Parse()
	text, err := renderPage()
	if err != nil {
		return err
	}
	if *out == "" {
		_, err = os.Stdout.Write(text)
		return err
	}
	return os.WriteFile(*out, text, 0o644)
}

const intro = `# What a change of a schema breaks

A version's ` + "`schema.input`" + ` describes the requests it accepts, ` + "`schema.output`" + ` the responses it gives; both are JSON Schemas. A new version keeps the callers of the old one when it accepts every request that the old one accepted, and gives no response that the old one could not have given. That is the mode BACKWARD, which the tables below describe. FORWARD compares with the versions exchanged, FULL in both directions, NONE not at all.

A **yes** is proven. A **no** comes with a document that one schema accepts and the other refuses. Any other answer is **undecided**, and counts as breaking. The rules are oasdiff's ids where it has one for the change.

` + limits + `

` + dialects + `

This page is generated from ` + "`internal/schemacases`" + ` by ` + "`make generate`" + `; the tests check every row.

## In a pull request

` + "`" + `kubectl gati version diff --schema OLD NEW` + "`" + ` compares two files, or a file with one of a git revision, and needs no cluster. It ends with 3 where callers break, 0 where they do not, and 1 where it could not compare. ` + "`" + `-o github` + "`" + ` annotates the lines of a pull request, ` + "`" + `-o markdown` + "`" + ` is a comment on it, ` + "`" + `-o sarif` + "`" + ` is for code scanning. This workflow has the plugin installed, comments, and fails where callers break:

` + "```yaml" + `
on:
  pull_request:
    paths: [schemas/user.json]
permissions:
  contents: read
  pull-requests: write
jobs:
  schema:
    runs-on: ubuntu-24.04
    steps:
    - uses: actions/checkout@v5
      with: {fetch-depth: 0}
    - run: |
        old="origin/$GITHUB_BASE_REF:schemas/user.json"
        kubectl gati version diff --schema "$old" schemas/user.json -o github || broken=$?
        kubectl gati version diff --schema "$old" schemas/user.json -o markdown >comment.md || true
        gh pr comment "$PR" --body-file comment.md --edit-last --create-if-none
        exit "${broken:-0}"
      env:
        GH_TOKEN: ${{ github.token }}
        PR: ${{ github.event.number }}
` + "```" + `
`

// limits are told with their constants, which test/walls compares.
const limits = "A schema has at most 64 KiB (`pkg/schema.MaxBytes`), 32 nested schemas (`pkg/schema.MaxDepth`), " +
	"1,000 properties (`pkg/schema.MaxProperties`) and 4,000 schemas in all (`pkg/schema.MaxSchemas`). " +
	"References stay in the document. A dynamic reference is read where the document has one target for it. A format outside the draft may mean anything: a yes holds whether it is asserted or not. A pattern with look-behind or back references may match anything, and the apply warns. " +
	"Numbers have at most 64 characters (`pkg/schema.maxNumber`) and an exponent of at most 308 (`pkg/schema.maxExponent`), up or down."

// dialects tells how the dialect of a document is found.
const dialects = "Draft-04, -06, -07, 2019-09 and 2020-12, OpenAPI 3.0 and 3.1 and what TypeScript libraries emit are read alike. " +
	"`$schema` names the draft; no field of the API does, because a document without `$schema` shows its older forms by themselves: " +
	"`items` as a list, `dependencies`, a boolean `exclusiveMinimum`, `nullable` beside `type`, `$id` and `$anchor` as names. " +
	"Keywords beside `$ref` have an effect, except in draft-04 to -07 and OpenAPI 3.0; a boolean exclusive bound shows one of these. " +
	"`discriminator`, `readOnly` and `writeOnly` constrain nothing. A keyword that the named draft lacks is refused. " +
	"The document stays as written, and findings point into it."

func renderPage() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(intro)
	for _, s := range cases.All() {
		fmt.Fprintf(&b, "\n## %s\n\n", s.Title)
		if s.Note != "" {
			fmt.Fprintf(&b, "%s\n\n", s.Note)
		}
		b.WriteString("| change | old | new | request | response |\n|---|---|---|---|---|\n")
		for _, c := range s.Cases {
			row, err := renderRow(c)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", s.Title, c.Name, err)
			}
			b.WriteString(row)
		}
	}
	return b.Bytes(), nil
}

func renderRow(c cases.Case) (string, error) {
	old, err := schema.Parse([]byte(c.Old))
	if err != nil {
		return "", err
	}
	new, err := schema.Parse([]byte(c.New))
	if err != nil {
		return "", err
	}
	in := schema.Compatibility(schema.Version{Input: old}, schema.Version{Input: new}, schema.Backward)
	out := schema.Compatibility(schema.Version{Output: old}, schema.Version{Output: new}, schema.Backward)
	return fmt.Sprintf("| %s | %s | %s | %s | %s |\n", c.Name, toCode(c.Old), toCode(c.New), verdictText(in), verdictText(out)), nil
}

// toCode returns a document for a cell.
func toCode(text string) string { return "`" + strings.ReplaceAll(text, "|", `\|`) + "`" }

// verdictText returns the verdict and its first reason.
func verdictText(r schema.Report) string {
	if !r.Breaking {
		return "keeps"
	}
	f := r.Findings[0]
	word := "**breaks**"
	if f.Undecided {
		word = "**undecided**"
	}
	return word + "<br>`" + f.Rule + "`"
}
