package formats

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOfficialSuite holds every format to the optional tests of the official suite, in
// all drafts and both ways.
func TestOfficialSuite(t *testing.T) {
	files, err := filepath.Glob("../testdata/suite/draft*.jsonl")
	if err != nil || len(files) != 5 {
		t.Fatalf("%d drafts, %v", len(files), err)
	}
	checked, wider := map[string]int{}, 0
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = file.Close() }()
		lines := bufio.NewScanner(file)
		for lines.Buffer(nil, 1<<20); lines.Scan(); {
			var group struct {
				File           string
				Schema         json.RawMessage
				Valid, Invalid []any
			}
			var schema struct{ Format string }
			if err := json.Unmarshal(lines.Bytes(), &group); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(group.File, "optional/format/") || json.Unmarshal(group.Schema, &schema) != nil || !IsKnown(schema.Format) {
				continue
			}
			for _, v := range group.Valid {
				text, is := v.(string)
				if is && !Accepts(schema.Format, text) {
					t.Errorf("%s: %s refuses %q", name, schema.Format, text)
				}
				checked[schema.Format]++
				for _, wide := range known[schema.Format].wider {
					if wider++; is && !Accepts(wide, text) {
						t.Errorf("%q has %s and not %s", text, schema.Format, wide)
					}
				}
			}
			for _, v := range group.Invalid {
				if text, is := v.(string); is && Accepts(schema.Format, text) {
					t.Errorf("%s: %s accepts %q", name, schema.Format, text)
				}
				checked[schema.Format]++
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
	for name := range known {
		if checked[name] == 0 {
			t.Errorf("no test of %s", name)
		}
	}
	t.Logf("%v, and %d of wider formats", checked, wider)
}

// TestWiderFormats holds that texts of a format have those which are said to be wider.
func TestWiderFormats(t *testing.T) {
	for name, f := range known {
		for _, wide := range f.wider {
			for _, other := range known {
				for _, text := range other.examples {
					if f.accepts(text) && !Accepts(wide, text) {
						t.Errorf("%q has %s and not %s", text, name, wide)
					}
				}
			}
		}
	}
}
