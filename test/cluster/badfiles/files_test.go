package badfiles

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"gati.dev/gati/api/v1alpha1"
)

// TestFilesAreInOrder holds the rules of testdata: objects have the name of their
// file, what both versions can say is there in both, and no golden is left over.
func TestFilesAreInOrder(t *testing.T) {
	files := loadFiles(t)
	if len(files) < 80 {
		t.Errorf("there are %d files, want at least 80", len(files))
	}
	comments := map[string]string{}
	for _, f := range files {
		if !strings.HasSuffix(f.comment, ".") || len(f.comment) > 120 {
			t.Errorf("%s: the comment is no short sentence: %q", f.name, f.comment)
		}
		comments[f.name] = f.comment
		older, newer := f.documentFor("v1alpha1"), f.documentFor("v1")
		if len(f.documents) > 2 || len(f.documents) == 2 && (older == nil || newer == nil) {
			t.Errorf("%s: want one document of each version", f.name)
		}
		if older == nil && newer != nil && isSayable(newer.text) {
			t.Errorf("%s: v1alpha1 can say the same; add its document", f.name)
		}
	}
	for _, folder := range []string{"testdata/", "testdata/down/"} {
		for _, name := range listGoldens(t, folder) {
			if _, known := comments[name]; !known {
				t.Errorf("%s%s.golden belongs to no file", folder, name)
			}
		}
	}
	t.Logf("%d files, %d of them in both versions", len(files), len(slices.DeleteFunc(slices.Clone(files), func(f file) bool { return len(f.documents) < 2 })))
}

// isSayable reports whether v1alpha1 has words for all of a document of v1.
func isSayable(text string) bool {
	var content map[string]any
	if yaml.Unmarshal([]byte(text), &content) != nil {
		return false
	}
	older, err := v1alpha1.FromV1(content)
	if err != nil {
		return false
	}
	metadata, _ := older["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	carried := annotations[v1alpha1.FieldsAnnotation]
	if carried == nil {
		return true
	}
	// Static defaults that only the API server sets are carried as null: they say
	// nothing.
	var fields map[string]any
	if carriedText, ok := carried.(string); !ok || yaml.Unmarshal([]byte(carriedText), &fields) != nil {
		return false
	}
	return !slices.ContainsFunc(slices.Collect(maps.Values(fields)), func(v any) bool { return v != nil })
}
