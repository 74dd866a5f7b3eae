package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func readManifest(t *testing.T) ([]byte, *manifest) {
	t.Helper()
	text, err := os.ReadFile("../../krew.yaml")
	if err != nil {
		t.Fatal(err)
	}
	m, err := decodeManifest(text)
	if err != nil {
		t.Fatal(err)
	}
	return text, m
}

// TestManifest holds that krew.yaml is valid as it stands, for the platforms
// that people have.
func TestManifest(t *testing.T) {
	_, m := readManifest(t)
	var got []string
	for i := range m.Spec.Platforms {
		p := &m.Spec.Platforms[i]
		got = append(got, p.os()+"/"+p.arch())
		if want := "kubectl-gati_" + p.os() + "_" + p.arch() + ".tar.gz"; !strings.HasSuffix(p.URI, "/"+m.Spec.Version+"/"+want) {
			t.Errorf("%s does not end in %s/%s", p.URI, m.Spec.Version, want)
		}
	}
	want := []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("platforms (-want,+got):\n%s", diff)
	}
}

func TestManifestFaults(t *testing.T) {
	cases := map[string]struct{ from, to, want string }{
		"misspelt field":    {"shortDescription:", "shortDescripton:", "unknown field"},
		"unquoted checksum": {`"` + strings.Repeat("0", 64) + `"`, strings.Repeat("0", 64), "sha256"},
		"no v":              {"version: v0.1.0", "version: 0.1.0", "leading v"},
		"another name":      {"name: gati", "name: krew", "the plugin is gati"},
		"bin without exe":   {"bin: kubectl-gati.exe", "bin: kubectl-gati", ".exe"},
		"twice":             {"arch: arm64", "arch: amd64", "named twice"},
		"unknown platform":  {"os: darwin", "os: plan9", "is not one of"},
		"no archive":        {"amd64.tar.gz", "amd64.gz", "neither .tar.gz"},
	}
	text, _ := readManifest(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := decodeManifest(bytes.ReplaceAll(text, []byte(tc.from), []byte(tc.to)))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// TestArchive holds that an archive has the LICENSE and the program beside each
// other, is the same each time, and hashes to what is said.
func TestArchive(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, []byte("program"), 0o600); err != nil {
		t.Fatal(err)
	}
	files := []file{{"kubectl-gati", program, 0o755}, {"LICENSE", "../../LICENSE", 0o644}}
	first, second := filepath.Join(dir, "1.tar.gz"), filepath.Join(dir, "2.tar.gz")
	sum, err := writeArchive(first, files)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := writeArchive(second, files); err != nil || again != sum {
		t.Errorf("the second archive hashes to %s, %v; the first to %s", again, err, sum)
	}
	content, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	if real := sha256.Sum256(content); hex.EncodeToString(real[:]) != sum {
		t.Error("the checksum is not that of the file")
	}
	want := map[string]int64{"kubectl-gati": 0o755, "LICENSE": 0o644}
	if diff := cmp.Diff(want, entries(t, content)); diff != "" {
		t.Errorf("entries (-want,+got):\n%s", diff)
	}
}

func entries(t *testing.T, content []byte) map[string]int64 {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for ball := tar.NewReader(zip); ; {
		header, err := ball.Next()
		if err == io.EOF {
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		got[header.Name] = header.Mode
	}
}

// TestRender holds that a written manifest is as valid as the one it came from,
// with only the platforms that were built.
func TestRender(t *testing.T) {
	_, m := readManifest(t)
	m.keepPlatform("linux", "arm64")
	m.Spec.Platforms[0].SHA256 = strings.Repeat("ab", 32)
	path := filepath.Join(t.TempDir(), "krew.yaml")
	if err := m.write(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := decodeManifest(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, again); diff != "" {
		t.Errorf("(-want,+got):\n%s", diff)
	}
}

// TestTwoBuildsAreTheSame builds for this machine's platform, from two folders.
// "make package" does it for every platform.
func TestTwoBuildsAreTheSame(t *testing.T) {
	out := t.TempDir()
	o := options{root: "../..", out: out, base: "https://example.com", host: true}
	if err := o.checkReproducible(); err != nil {
		t.Fatal(err)
	}
	check := exec.Command("sha256sum", "--check", "--strict", checksumFile)
	check.Dir = out
	if got, err := check.CombinedOutput(); err != nil {
		t.Errorf("%s: %v: %s", checksumFile, err, got)
	}
}

// TestSameFindsOneByte holds that the comparison itself works.
func TestSameFindsOneByte(t *testing.T) {
	one, other := t.TempDir(), t.TempDir()
	for dir, content := range map[string]string{one: "content", other: "contend"} {
		if err := os.WriteFile(filepath.Join(dir, "archive"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := compareFolders(one, other); err == nil || !strings.Contains(err.Error(), "archive is not the same") {
		t.Errorf("got %v", err)
	}
}
