// Package manyways writes files that people have: the same two objects as YAML and JSON,
// streams and lists, with other line ends and encodings, and files that are broken in one
// place. Which objects are in them is for kubectl to say.
package manyways

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"sigs.k8s.io/yaml"
)

// Write writes the files to a new directory and returns their paths.
func Write(t *testing.T) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range listTexts(t) {
		path := filepath.Join(dir, name+".yaml")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// HandlerYAML is a handler, with a verb for its name.
const HandlerYAML = "apiVersion: gati.dev/v1\nkind: GatiHandler\nmetadata:\n  name: %s\nspec:\n  path: /%[1]s\n  image: registry.example/app:v1.0.0\n"

// listTexts returns files with the same two handlers, by name.
func listTexts(t *testing.T) map[string][]byte {
	t.Helper()
	one, two := fmt.Sprintf(HandlerYAML, "one"), fmt.Sprintf(HandlerYAML, "two")
	asJSON := func(text string) string {
		raw, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	items := func(kind string) string {
		indent := func(text string) string {
			return "- " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
		}
		return kind + "items:\n" + indent(one) + indent(two)
	}
	texts := map[string]string{
		"yaml":            one + "---\n" + two,
		"yaml-leading":    "---\n" + one + "---\n" + two + "---\n",
		"yaml-comments":   "# a\n--- # b\n# c\n" + one + "--- # d\n---\n" + two + "...\n",
		"yaml-empty":      one + "---\n---\nnull\n---\n" + two,
		"yaml-flow":       strings.ReplaceAll(asJSON(one), `"apiVersion":`, "apiVersion: ") + "\n---\n" + asJSON(two) + "\n",
		"json-stream":     asJSON(one) + asJSON(two),
		"json-lines":      asJSON(one) + "\n" + asJSON(two) + "\n",
		"json-separated":  asJSON(one) + "\n---\n" + asJSON(two) + "\n",
		"json-then-yaml":  asJSON(one) + "\n---\n" + two,
		"list":            items("apiVersion: v1\nkind: List\n"),
		"list-json":       asJSON(items("apiVersion: v1\nkind: List\n")),
		"typed-list":      items("apiVersion: gati.dev/v1\nkind: GatiHandlerList\n"),
		"anchors":         strings.Replace(one, "  path", "  resources: {requests: &r {cpu: 1, memory: 1Gi}, limits: {<<: *r, cpu: 2}}\n  path", 1) + "---\n" + two,
		"trailing-brace":  asJSON(one) + "\n}\n",
		"separator-text":  one + "--- {}\n" + two,
		"broken-second":   one + "---\nkind: [\n",
		"no-object":       one + "---\na: b\n",
		"text":            "hello\n",
		"tab":             one + "---\n\tkind: x\n",
		"duplicate-key":   one + "  replicas: 2\n  replicas: 3\n---\n" + two,
		"numbers-as-name": one + "---\n" + strings.Replace(two, "name: two", "name: 2", 1),
	}
	out := map[string][]byte{}
	for name, text := range texts {
		out[name] = []byte(text)
		out[name+"-crlf"] = []byte(strings.ReplaceAll(text, "\n", "\r\n"))
		out[name+"-bom"] = []byte("\ufeff" + text)
	}
	for _, name := range []string{"yaml", "yaml-comments", "json-stream", "list"} {
		units := utf16.Encode([]rune("\ufeff" + texts[name]))
		little, big := make([]byte, 0, 2*len(units)), make([]byte, 0, 2*len(units))
		for _, u := range units {
			little, big = append(little, byte(u), byte(u>>8)), append(big, byte(u>>8), byte(u))
		}
		out[name+"-utf16le"], out[name+"-utf16be"] = little, big
	}
	return out
}
