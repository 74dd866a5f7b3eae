package main

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// kind is a kind in one version.
type kind struct {
	name, version string
	schema        *apiextensions.JSONSchemaProps
	fields        []field
}

//go:embed examples
var examples embed.FS

const intro = `# Fields of every kind

<!-- make generate wrote this page from api/ and hack/fields/examples; change it there. -->

The kinds of ` + "`gati.dev/v1`" + ` and of ` + "`gati.dev/v1alpha1`" + `, which is converted without loss. ` + "`kubectl explain`" + ` shows the same in a terminal. A path ends in ` + "`[]`" + ` for the items of a list and in ` + "`.*`" + ` for the values of a map; types such as ` + "`core/v1 EnvVar`" + ` are described by their own project. What is derived where a field is absent, ` + "`kubectl gati expand`" + ` shows for your manifest.
`

func renderPage(kinds []kind) ([]byte, error) {
	var page bytes.Buffer
	page.WriteString(intro)
	for _, k := range kinds {
		example, err := examples.ReadFile("examples/" + k.version + "-" + strings.ToLower(k.name) + ".yaml")
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&page, "\n## %s in %s\n\n%s\n\n```yaml\n%s```\n", k.name, k.version, escapeProse(joinLines(k.schema.Description)), example)
		for _, part := range []string{"spec", "status"} {
			fmt.Fprintf(&page, "\n### %s of %s in %s\n\n| field | type | bounds | meaning |\n|---|---|---|---|\n", part, k.name, k.version)
			for _, f := range k.fields {
				if strings.HasPrefix(f.path, part+".") {
					page.WriteString(f.formatRow())
				}
			}
		}
	}
	return page.Bytes(), nil
}

func (f field) formatRow() string {
	name := "`" + f.path + "`"
	if f.isRequired {
		name += " (required)"
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", name, f.describeType(), escapeCell(f.describeBounds()), escapeProse(f.describeMeaning()))
}

// describeMeaning returns the comment of a field, and its rules.
func (f field) describeMeaning() string {
	parts := []string{joinLines(f.schema.Description)}
	for schema := f.schema; schema != nil; schema = itemsOf(schema) {
		if f.foreign != "" && schema != f.schema {
			break // The rules of a foreign type are its project's.
		}
		for _, rule := range schema.XValidations {
			if text := "Rule: " + rule.Message + "."; rule.Message != "" && !slices.Contains(parts, text) {
				parts = append(parts, text)
			}
		}
	}
	return strings.Join(parts, " ")
}

// joinLines returns a comment on one line.
func joinLines(text string) string { return strings.Join(strings.Fields(text), " ") }

// escapeCell keeps a text from ending its cell.
func escapeCell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// escapeProse also keeps it from starting HTML or emphasis.
func escapeProse(text string) string {
	return strings.NewReplacer("<", `\<`, "*", `\*`).Replace(escapeCell(text))
}

func itemsOf(schema *apiextensions.JSONSchemaProps) *apiextensions.JSONSchemaProps {
	switch {
	case schema.Items != nil:
		return schema.Items.Schema
	case schema.AdditionalProperties != nil:
		return schema.AdditionalProperties.Schema
	}
	return nil
}
