package manifest_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gati.dev/gati/pkg/cli/manifest"
)

const (
	namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, annotations: {gati.dev/image: \"app:v1\"}}\n"
	users     = "apiVersion: gati.dev/v1\nkind: GatiHandler\nmetadata: {name: users}\nspec: {path: /users}\n"
)

// TestRead holds which files are read, and what is known of their documents.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.yaml": namespace + "---\n" + users, "b.txt": users, "below/c.yml": users} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	tests := map[string]struct {
		name, stdin string
		places      []string
		image, err  string
	}{
		"a file":              {name: filepath.Join(dir, "a.yaml"), places: []string{"a.yaml:5: GatiHandler users"}, image: "app:v1"},
		"a file of any name":  {name: filepath.Join(dir, "b.txt"), places: []string{"b.txt:1: GatiHandler users"}},
		"a directory":         {name: dir, places: []string{"a.yaml:5: GatiHandler users", "below/c.yml:1: GatiHandler users"}, image: "app:v1"},
		"standard input":      {name: "-", stdin: users, places: []string{"standard input:1: GatiHandler users"}},
		"none of our kinds":   {name: "-", stdin: namespace, image: "app:v1", err: "no GatiHandler, GatiModule or GatiVersion found in -"},
		"a URL":               {name: server.URL + "/a.yaml", places: []string{server.URL + "/a.yaml:5: GatiHandler users"}, image: "app:v1"},
		"a URL of nothing":    {name: server.URL + "/gone.yaml", err: "server reported 404 Not Found"},
		"a file that is gone": {name: filepath.Join(dir, "gone.yaml"), err: "gone.yaml\" does not exist"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			files := manifest.Of(tc.name)
			set, err := files.Read(strings.NewReader(tc.stdin))
			var places []string
			if err == nil {
				docs, failed := set.Ours(files)
				err = failed
				for i := range docs {
					places = append(places, strings.TrimPrefix(manifest.Place(&docs[i]), dir+"/"))
				}
				if image := set.Facts("shop", "").NamespaceImage; image != tc.image {
					t.Errorf("image %q, want %q", image, tc.image)
				}
			}
			if diff := cmp.Diff(tc.places, places); diff != "" {
				t.Errorf("(-want,+got):\n%s", diff)
			}
			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("error %v, want %q", err, tc.err)
			}
		})
	}
}
