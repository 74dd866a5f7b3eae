package admit_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
)

const bare = "apiVersion: gati.dev/v1\nkind: GatiHandler\nmetadata: {name: a}\nspec: {path: /a}\n"

func TestDecode(t *testing.T) {
	foreign := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
	tests := map[string]struct {
		text string

		want    []string
		wantErr string
	}{
		"nothing":                    {"", nil, ""},
		"comments only":              {"# a\n---\n\n# b\n---\n", nil, ""},
		"one":                        {bare, []string{"1 *v1.GatiHandler a"}, ""},
		"JSON":                       {`{"apiVersion":"gati.dev/v1","kind":"GatiModule","metadata":{"name":"m"},"spec":{"type":"node"}}`, []string{"1 *v1.GatiModule m"}, ""},
		"several, with blank ones":   {"---\n" + bare + "---\n# nothing\n---\n" + foreign + "---\n" + bare, []string{"1 *v1.GatiHandler a", "2 foreign", "3 *v1.GatiHandler a"}, ""},
		"a comment after the dashes": {bare + "--- # the second\n" + bare, []string{"1 *v1.GatiHandler a", "2 *v1.GatiHandler a"}, ""},
		"lines of Windows":           {strings.ReplaceAll(bare+"---\n"+bare, "\n", "\r\n"), []string{"1 *v1.GatiHandler a", "2 *v1.GatiHandler a"}, ""},
		"a group that begins alike":  {"apiVersion: gati.dev.example/v1\nkind: X\n", []string{"1 foreign"}, ""},
		"v1alpha1": {"apiVersion: gati.dev/v1alpha1\nkind: GatiHandler\nmetadata: {name: old}\nspec: {handlerPath: /a, env: {B: '1'}}\n",
			[]string{"1 *v1.GatiHandler old"}, ""},

		"a key twice, as kubectl":  {bare + "spec: {path: /b}\n", []string{"1 *v1.GatiHandler a"}, ""},
		"an empty list of ours":    {"apiVersion: gati.dev/v1\nkind: GatiHandlerList\nitems: []\n", nil, ""},
		"a list of ours":           {"apiVersion: gati.dev/v1\nkind: GatiHandlerList\nitems: [{metadata: {name: a}, spec: {path: /a}}, {metadata: {name: b}, spec: {path: /b}}]\n", []string{"1 *v1.GatiHandler a", "1 *v1.GatiHandler b"}, ""},
		"JSON one after another":   {`{"apiVersion":"v1","kind":"ConfigMap"}{"apiVersion":"v1","kind":"Secret"}` + "\n" + `{"apiVersion":"v1","kind":"Secret"}`, []string{"1 foreign", "2 foreign", "3 foreign"}, ""},
		"JSON, then YAML":          {`{"apiVersion":"v1","kind":"ConfigMap"}` + "\n---\n" + bare, []string{"1 foreign", "2 *v1.GatiHandler a"}, ""},
		"a null is absent":         {bare[:len(bare)-2] + ", image: , resources: {requests: {cpu: , memory: 1Gi}}, pod: {labels: {team: }}}\n", []string{"1 *v1.GatiHandler a"}, ""},
		"a null in a schema":       {bare[:len(bare)-2] + ", schema: {input: {const: null}}}\n", []string{"1 *v1.GatiHandler a"}, ""},
		"a generated name":         {"apiVersion: gati.dev/v1\nkind: GatiHandler\nmetadata: {generateName: a-}\nspec: {path: /a}\n", []string{"1 *v1.GatiHandler a-xxxxx"}, ""},
		"keys merged and replaced": {bare[:len(bare)-2] + ", resources: {requests: &r {cpu: 1, memory: 1Gi}, limits: {<<: *r, memory: 2Gi}}}\n", []string{"1 *v1.GatiHandler a"}, ""},
		"JSON with more behind it": {`{"apiVersion":"v1","kind":"ConfigMap"}` + "\n}\n", []string{"1 foreign"}, "f.yaml: line 2: invalid character '}' looking for beginning of value"},
		"text behind the dashes":   {"--- {}\n" + bare, nil, "f.yaml: line 1: invalid Yaml document separator: {}"},
		"lines are the file's":     {bare + "---\nkind: [\n", []string{"1 *v1.GatiHandler a"}, "yaml: line 6: "},

		"unknown field":              {bare + "  \nstatuss: {}\n", nil, `f.yaml: document 1: strict decoding error: unknown field "statuss"`},
		"unknown field inside":       {"apiVersion: gati.dev/v1\nkind: GatiHandler\nspec: {path: /a, replica: 2}\n", nil, `unknown field "spec.replica"`},
		"unknown field of v1alpha1":  {"apiVersion: gati.dev/v1alpha1\nkind: GatiHandler\nspec: {handlerPath: /a, path: /b}\n", nil, `unknown field "spec.path"`},
		"a wrong type":               {"apiVersion: gati.dev/v1\nkind: GatiHandler\nspec: {path: [a]}\n", nil, "f.yaml: document 1: spec.path: expected a text, found array"},
		"a number that is too large": {bare[:len(bare)-2] + ", replicas: 5000000000}\n", nil, "spec.replicas: expected a whole number of 32 bits, found number 5000000000"},
		"a list that is none":        {bare[:len(bare)-2] + ", env: a}\n", nil, "spec.env: expected a list, found string"},
		"a truth that is none":       {"apiVersion: gati.dev/v1\nkind: GatiVersion\nspec: {active: 1}\n", nil, "spec.active: expected true or false, found number"},
		"an object that is none":     {"apiVersion: gati.dev/v1alpha1\nkind: GatiHandler\nspec: {handlerPath: /a, resources: []}\n", nil, "spec.resources: expected an object, found array"},
		"bad YAML":                   {"a: [", nil, "f.yaml: document 1: yaml: "},
		"text":                       {"hello\n", nil, "is no Kubernetes object"},
		"no kind":                    {"apiVersion: gati.dev/v1\n", nil, "has no apiVersion or no kind"},
		"unknown kind of ours":       {"apiVersion: gati.dev/v1\nkind: GatiThing\n", nil, `no kind "GatiThing" is registered for version "gati.dev/v1"`},
		"unknown version of ours":    {"apiVersion: gati.dev/v9\nkind: GatiHandler\n", nil, `no kind "GatiHandler" is registered for version "gati.dev/v9"`},
		"options of a request":       {"apiVersion: gati.dev/v1\nkind: DeleteOptions\n", nil, "is no object that can be applied"},
		"the others are told beside": {bare + "---\na: [\n---\n" + bare, []string{"1 *v1.GatiHandler a", "3 *v1.GatiHandler a"}, "f.yaml: document 2: "},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			docs, err := admit.Decode(strings.NewReader(tc.text), "f.yaml")
			if tc.wantErr == "" && err != nil || tc.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tc.wantErr)) {
				t.Errorf("error %v, want %q", err, tc.wantErr)
			}
			if diff := cmp.Diff(tc.want, shown(docs)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func shown(docs []admit.Document) []string {
	var out []string
	for _, d := range docs {
		if d.Foreign {
			out = append(out, fmt.Sprintf("%d foreign", d.Index))
			continue
		}
		out = append(out, fmt.Sprintf("%d %T %s", d.Index, d.Object, d.Object.GetName()))
	}
	return out
}

func TestDecodeConverts(t *testing.T) {
	docs, err := admit.Decode(strings.NewReader("apiVersion: gati.dev/v1alpha1\nkind: GatiHandler\nmetadata: {name: a}\nspec: {handlerPath: /a, env: {B: '1'}}\n"), "f")
	if err != nil {
		t.Fatal(err)
	}
	h := docs[0].Object.(*v1.GatiHandler)
	if h.Spec.Path != "/a" || len(h.Spec.Env) != 1 || h.Spec.Env[0].Name != "B" || h.APIVersion != "gati.dev/v1" {
		t.Errorf("%+v", h)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

func TestDecodeTellsOfReadErrors(t *testing.T) {
	if _, err := admit.Decode(brokenReader{}, "f.yaml"); err == nil || err.Error() != "f.yaml: the disk is gone" {
		t.Errorf("error %v", err)
	}
}

// FuzzDecode checks that no file causes a panic, and that every decoded object passes
// through the whole pipeline.
func FuzzDecode(f *testing.F) {
	files, _ := filepath.Glob("../../manifests/samples/*.yaml")
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	for _, text := range []string{"", "---", "a: [", "\ufeff" + bare, "apiVersion: gati.dev/v1\nkind: List\n", "apiVersion: gati.dev/v1\nkind: WatchEvent\n", "? {}", "&a [*a]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		docs, _ := admit.Decode(strings.NewReader(string(raw)), "f")
		for _, d := range docs {
			if d.Foreign == (d.Object != nil) {
				t.Fatalf("%+v is neither ours nor foreign", d)
			}
			if !d.Foreign {
				admit.Check(d.Object, d.Object, admit.Surroundings{Facts: known})
			}
		}
	})
}
