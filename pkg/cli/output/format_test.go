package output

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// controls has characters of C0 and C1, DEL, and some that are none of these.
const controls = "a\x1b]52;\a\t\r\x00\x7f\u0080\u0085\u009b2J\u009f\u00a0日\u2028\n<&>"

// TestFormatsOfDataEscape holds that JSON and YAML have the same content as the object and
// no character that a terminal obeys.
func TestFormatsOfDataEscape(t *testing.T) {
	object := map[string]any{"apiVersion": "v1", "kind": "Text", "a": controls, controls: []any{controls, "# " + controls, int64(1) << 60}}
	for _, format := range []string{"json", "JSON", "yaml", "kyaml"} {
		t.Run(format, func(t *testing.T) {
			f := NewFormat()
			f.flags.OutputFormat = &format
			p, err := f.Printer()
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := Print(p, NewScreen(&out), &unstructured.Unstructured{Object: object}); err != nil {
				t.Fatal(err)
			}
			checkDocument(t, out.Bytes(), object)
		})
	}
	t.Run("YAML", func(t *testing.T) {
		out, err := YAML(object)
		if err != nil {
			t.Fatal(err)
		}
		checkDocument(t, out, object)
	})
	t.Run("WriteJSON", func(t *testing.T) {
		var out bytes.Buffer
		if err := WriteJSON(NewScreen(&out), object); err != nil {
			t.Fatal(err)
		}
		checkDocument(t, out.Bytes(), object)
	})
}

func checkDocument(t *testing.T, document []byte, want map[string]any) {
	t.Helper()
	if text := strings.NewReplacer("\n", "", "\t", "").Replace(string(document)); strings.ContainsFunc(text, unicode.IsControl) {
		t.Errorf("control characters in %q", document)
	}
	content, err := yaml.YAMLToJSON(document)
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(decode(t, wanted), decode(t, content)); diff != "" {
		t.Errorf("the content differs (-want,+got):\n%s", diff)
	}
}

func decode(t *testing.T, document []byte) (out any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSeveralDocuments(t *testing.T) {
	format := "yaml"
	f := NewFormat()
	f.flags.OutputFormat = &format
	p, err := f.Printer()
	if err != nil {
		t.Fatal(err)
	}
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Text"}}
	var out strings.Builder
	if err := Print(p, &out, object, object); err != nil {
		t.Fatal(err)
	}
	const document = "apiVersion: v1\nkind: Text\n"
	if want := document + "---\n" + document; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
