package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/pkg/cli/exit"
)

// trialVersions are three versions, each of which breaks the callers of the one before.
const trialVersions = `apiVersion: gati.dev/v1
kind: GatiVersion
metadata: {name: users-v1.0.0}
spec:
  handler: users
  version: v1.0.0
  schema:
    input: {type: object, required: [name], properties: {name: {type: string}}}
    output: {type: object, required: [id, name], properties: {id: {type: string}, name: {type: string}}}
---
apiVersion: gati.dev/v1
kind: GatiVersion
metadata: {name: users-v2.0.0}
spec:
  handler: users
  version: v2.0.0
  transformers: [{from: v1.0.0, to: v2.0.0, request: up, response: down}]
---
apiVersion: gati.dev/v1
kind: GatiVersion
metadata: {name: users-v3.0.0}
spec:
  handler: users
  version: v3.0.0
  schema:
    input: {type: object, required: [who, locale], properties: {who: {type: array, items: {type: string}}, locale: {enum: [en, de]}}}
    output: {type: object, required: [id, who], properties: {id: {type: string}, who: {type: array, items: {type: string}}}}
  transformers: [{from: v2.0.0, to: v3.0.0, request: upAgain, response: down}]
`

// TestTransformersAreTried runs samples through a chain of two hops and holds that each
// fault is found at its line: of a sample, of a function, of a result.
func TestTransformersAreTried(t *testing.T) {
	dir := newFolder(t)
	for name, text := range map[string]string{
		"versions.yaml": trialVersions,
		"transformers/v1.0.0-to-v2.0.0.js": `console.log('a transformer may print');
export const up = ({ name }) => ({ names: name.split(' ') });
export const down = ({ names, ...rest }) => ({ ...rest, name: names.join(' ') });
`,
		"transformers/v2.0.0-to-v3.0.0.js": `export const upAgain = ({ names }) => ({ who: names, locale: names[1] === 'Hopper' ? 'fr' : 'en' });
export const down = ({ who, ...rest }) => ({ ...rest, names: who });
`,
		"good.jsonl": `{"direction": "request", "body": {"name": "Ada Lovelace"}}
{"direction": "response", "body": {"id": "1", "who": ["Ada", "Lovelace"]}}

{"direction": "response", "status": 404, "body": {"error": "none"}}
`,
		"bad.jsonl": `{"direction": "request", "body": {"name": "Grace Hopper"}}
{"direction": "request", "body": {"name": 7}}
{"direction": "response", "status": 404, "body": {"error": "none"}}
{"direction": "response", "body": {"id": "1", "who": null}}
`,
		"broken.jsonl": "{\"direction\": \"up\"}\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	try := func(file string, code int, parts ...string) {
		t.Helper()
		got := clitest.Run(t.Context(), "", "version", "test-transformers", file, "--from", "v1.0.0", "--to", "v3.0.0", "-f", "versions.yaml")
		if got.Code != code {
			t.Errorf("%s: got %+v", file, got)
		}
		for _, part := range parts {
			if !strings.Contains(got.Stdout+got.Stderr, part) {
				t.Errorf("%s: %q is not in %s%s", file, part, got.Stdout, got.Stderr)
			}
		}
	}
	try("good.jsonl", exit.OK, "3 samples between v1.0.0 and v3.0.0: 3 valid, 0 failed\n")
	try("bad.jsonl", exit.Unhealthy,
		"bad.jsonl:1: request: the result is no request of v3.0.0: ", "at /locale", `result {"who":["Grace","Hopper"],"locale":"fr"}`,
		"bad.jsonl:2: request: the sample is no request of v1.0.0: ", "at /name",
		"bad.jsonl:4: response: the sample is no response of v3.0.0: ", "4 samples between v1.0.0 and v3.0.0: 1 valid, 3 failed\n")
	try("broken.jsonl", exit.Error, "broken.jsonl:1: a sample is")
	if err := os.Remove("transformers/v2.0.0-to-v3.0.0.js"); err != nil {
		t.Fatal(err)
	}
	try("good.jsonl", exit.Error, "run the transformers in Node.js", "no function upAgain is exported")
}
