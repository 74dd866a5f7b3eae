package admit

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

// kubectls returns what kubectl's own decoder makes of a stream, up to its first error.
func kubectls(text []byte) (objects []string, failed bool) {
	d := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), guessed)
	for {
		var ext runtime.RawExtension
		switch err := d.Decode(&ext); {
		case errors.Is(err, io.EOF):
			return objects, false
		case err != nil:
			return objects, true
		}
		if raw := bytes.TrimSpace(ext.Raw); len(raw) > 0 && !bytes.Equal(raw, []byte("null")) {
			objects = append(objects, string(raw))
		}
	}
}

// ours returns the same of readStream.
func ours(text []byte) (objects []string, failed bool) {
	parts, err := readStream(bytes.NewReader(text))
	for _, p := range parts {
		if p.err != nil {
			return objects, true
		}
		objects = append(objects, string(bytes.TrimSpace(p.json)))
	}
	return objects, err != nil
}

// FuzzStream holds that a stream has the documents that kubectl's decoder finds in it, up to
// the first that it cannot read, and that each has a place in the file.
func FuzzStream(f *testing.F) {
	files, _ := filepath.Glob("../cli/manifest/testdata/files/*")
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	for _, text := range []string{
		"", "---", "---\n---\na: b\n", "a: b\n---\nc: d", "a: b\r\n---\r\nc: d\r\n", "{}{}", "{} {}\n{}", "{}\n---\na: b\n", "{}\n}\n", "{a: b}\n---\n{c: d}",
		"{}{}}", "{\"a\": 1}\n\na: b\n", "--- # x\na: b\n", "--- x\na: b\n", "a: [\n---\nb: c\n", "~\n---\nnull\n---\n# c\n", "...\n---\na: b\n...\n", "{\"a\":\"\\/\\ud83d\\ude42\"}",
		"{\"a\":1}\n--- # c\n{\"b\":1}{\"c\":1}", " \n\t{}", "{}\n ---\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) || bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) || len(text) > guessed {
			t.Skip("kubectl takes marks of the order of bytes away before its decoder, and guesses by the beginning")
		}
		want, wantFailed := kubectls([]byte(strings.ToValidUTF8(string(text), "\ufffd")))
		got, failed := ours([]byte(strings.ToValidUTF8(string(text), "\ufffd")))
		if diff := cmp.Diff(want, got); diff != "" || failed != wantFailed {
			t.Fatalf("%q: failed %v, kubectl's %v (-kubectl +ours):\n%s", text, failed, wantFailed, diff)
		}
		parts, _ := readStream(bytes.NewReader(text))
		for line, i := 1, 0; i < len(parts); i++ {
			if parts[i].line < line || parts[i].line > 1+bytes.Count(text, []byte("\n")) {
				t.Fatalf("%q: document %d is at line %d, the one before at %d", text, i, parts[i].line, line)
			}
			line = parts[i].line
		}
	})
}

// TestMarksOfTheOrderOfBytes holds that files of Windows' editors and shells are read as
// kubectl reads them.
func TestMarksOfTheOrderOfBytes(t *testing.T) {
	for name, want := range map[string]int{"utf16le-two-documents.yaml": 2, "utf8-bom-comment.yaml": 1} {
		raw, err := os.ReadFile(filepath.Join("../cli/manifest/testdata/files", name))
		if err != nil {
			t.Fatal(err)
		}
		if objects, failed := ours(raw); failed || len(objects) != want {
			t.Errorf("%s: %d documents, failed %v; want %d", name, len(objects), failed, want)
		}
	}
}
