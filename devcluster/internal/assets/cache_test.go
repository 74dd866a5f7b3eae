package assets

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCacheDir(t *testing.T) {
	tests := []struct{ name, cache, home, xdg, want string }{
		{"set", "/c", "/h", "/x", "/c"},
		{"home", "", "/h", "/x", "/h/.cache/gati"},
		{"no home", "", "", "/x", "/x/gati"},
		{"nothing", "", "", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("GATI_CACHE", test.cache)
			t.Setenv("HOME", test.home)
			t.Setenv("XDG_CACHE_HOME", test.xdg)
			got, err := CacheDir()
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if (err != nil) != (test.want == "") {
				t.Errorf("error: %v", err)
			}
		})
	}
}

func TestUserDir(t *testing.T) {
	t.Setenv("KUBEBUILDER_ASSETS", "")
	if _, given, err := UserDir(); given || err != nil {
		t.Errorf("unset: given %v, error %v", given, err)
	}
	dir := t.TempDir()
	t.Setenv("KUBEBUILDER_ASSETS", dir)
	for _, name := range userNames {
		if _, given, err := UserDir(); !given || err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: given %v, error %v", name, given, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if got, given, err := UserDir(); got != dir || !given || err != nil {
		t.Errorf("complete: %q, given %v, error %v", got, given, err)
	}
}

func TestLinksAreRelative(t *testing.T) {
	w := work{root: t.TempDir()}
	if err := os.Mkdir(w.dir("out"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := w.linkResult("/cache/bin/kubebox-1/kubebox", "etcd"); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.Readlink(w.resultPath("etcd")); got != "../kubebox-1/kubebox" {
		t.Errorf("the link leads to %q", got)
	}
}
