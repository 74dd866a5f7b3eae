package appimage

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLibraries(t *testing.T) {
	got, err := parseLibraries(`	linux-vdso.so.1 (0x00007f43b5772000)
	libdl.so.2 => /lib/x86_64-linux-gnu/libdl.so.2 (0x00007f43b575c000)
	libnode.so.108 => /usr/lib/x86_64-linux-gnu/libnode.so.108 (0x00007f43b5400000)
	/lib64/ld-linux-x86-64.so.2 (0x00007f43b5774000)
`)
	want := []string{"/lib/x86_64-linux-gnu/libdl.so.2", "/usr/lib/x86_64-linux-gnu/libnode.so.108", "/lib64/ld-linux-x86-64.so.2"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v and error %v, want %v", got, err, want)
	}
	if _, err := parseLibraries("\tlibuv.so.1 => not found\n"); err == nil || !strings.Contains(err.Error(), "libuv.so.1") {
		t.Errorf("got %v, want an error that names the library", err)
	}
}

// TestOwnScripts holds that only what is on the machine is taken: Debian compiles
// in paths of packages that it only recommends.
func TestOwnScripts(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "node")
	content := "\x00/usr/share/nodejs/no-such-package/index.js\x00/usr/share/nodejs/\x00"
	if err := os.WriteFile(binary, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := scriptPattern.FindAllStringSubmatchIndex(content); len(got) != 1 {
		t.Errorf("found %v, want one path", got)
	}
	if got, err := findScripts(binary); err != nil || len(got) != 0 {
		t.Errorf("got %v and error %v", got, err)
	}
}
