package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// made is a release for this machine's platform, built twice from two folders. It is made
// once: "make release" does the same for every platform.
var made = sync.OnceValues(func() (out string, err error) {
	if madeIn, err = os.MkdirTemp("", "gati-release-test"); err != nil {
		return "", err
	}
	o := testOptions(madeIn)
	return madeIn, o.checkReproducible()
})

// madeIn is the folder of the release, empty while there is none.
var madeIn string

func testOptions(out string) options {
	return options{
		version: "v0.0.7", root: "../..", out: out, host: true, builder: "https://example.com/test",
		places: places{repository: "https://example.com/gati", files: "https://example.com/files", registry: "registry.example", site: "https://example.com"},
		source: source{strings.Repeat("ab", 20), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
	}
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, folder := range []string{madeIn, unpacked.in} {
		if folder != "" {
			_ = os.RemoveAll(folder) // it is in the folder for what is temporary
		}
	}
	os.Exit(code)
}

// released returns the folder with the release.
func released(t *testing.T) string {
	t.Helper()
	out, err := made()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// releasedFiles are what a release for one platform consists of.
var releasedFiles = []string{noticesFile, checksumFile, imageFile, imageFile + ".spdx.json", installFile, chartFile, krewFile, hostArchive(), hostArchive() + ".spdx.json", provenanceFile}

// TestTwoBuildsAreTheSame holds that a release has the same bytes when it is built again in
// another folder, and that the list of checksums has every file.
func TestTwoBuildsAreTheSame(t *testing.T) {
	t.Parallel()
	out := released(t)
	check := exec.Command("sha256sum", "--check", "--strict", checksumFile)
	check.Dir = out
	got, err := check.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", checksumFile, err, got)
	}
	for _, name := range releasedFiles {
		if name != checksumFile && !strings.Contains(string(got), name+": OK\n") {
			t.Errorf("%s is not in %s:\n%s", name, checksumFile, got)
		}
	}
	entries, err := os.ReadDir(out)
	if err != nil || len(entries) != len(releasedFiles) {
		t.Errorf("the release has %d files (%v), want %v", len(entries), err, releasedFiles)
	}
}

// TestArchive holds that an archive has the program and the licences beside each other.
func TestArchive(t *testing.T) {
	t.Parallel()
	want := map[string]int64{pluginName(): 0o755, "LICENSE": 0o644, noticesFile: 0o644}
	got := map[string]int64{}
	for _, f := range unpack(t, read(t, released(t), hostArchive())) {
		got[f.name] = f.mode
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want,+got):\n%s", diff)
	}
}

// TestPlacesAreOne holds that each address in a release is one of its places: another host in the
// manifest for krew, in install.yaml or in the chart would be that of no release.
func TestPlacesAreOne(t *testing.T) {
	t.Parallel()
	out := released(t)
	o := testOptions(out)
	manifest := string(read(t, out, krewFile))
	for _, want := range []string{"uri: " + o.places.files + "/v0.0.7/" + hostArchive() + "\n", "homepage: " + o.places.site + "\n"} {
		if !strings.Contains(manifest, want) {
			t.Errorf("%s has no %q:\n%s", krewFile, want, manifest)
		}
	}
	for _, name := range []string{krewFile, installFile} {
		for _, address := range addresses.FindAllStringSubmatch(string(read(t, out, name)), -1) {
			address := address[1]
			if !strings.HasPrefix(address, o.places.files) && !strings.HasPrefix(address, o.places.site) && !strings.HasPrefix(address, o.places.image()) {
				t.Errorf("%s has the address %s", name, address)
			}
		}
	}
	exported := exec.Command(programs(t)[hostArchive()], "install", "--export")
	text, err := exported.Output()
	if _, digest := releasedImage(t); err != nil || strings.Count(string(text), "image: "+o.places.image()+":v0.0.7@"+digest+"\n") != 2 {
		t.Errorf("the plugin installs %s, %v", images.FindAllString(string(text), -1), err)
	}
	if !strings.Contains(o.places.String(), "chart   oci://registry.example/charts/gati\n") {
		t.Errorf("the places are:\n%s", o.places)
	}
}

// addresses matches what krew or a node fetches.
var addresses = regexp.MustCompile(`(?m)(?:^\s*(?:- )?(?:uri|homepage|image): )(?P<address>\S+)$`)

func unpack(t *testing.T, packed []byte) (out []file) {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	for ball := tar.NewReader(zip); ; {
		header, err := ball.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(ball)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, file{header.Name, header.Mode, content})
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

// TestASourceThatDiffersIsRefused holds that a provenance names the commit of its files.
func TestASourceThatDiffersIsRefused(t *testing.T) {
	root := t.TempDir()
	for _, args := range [][]string{
		{"init", "--quiet"},
		{"-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "--quiet", "--allow-empty", "-m", "first"},
	} {
		if _, err := runGit(root, args...); err != nil {
			t.Fatal(err)
		}
	}
	if s, err := readSource(root); err != nil || len(s.commit) != 40 || s.time.IsZero() {
		t.Errorf("got %v, %v", s, err)
	}
	if err := os.WriteFile(filepath.Join(root, "stray.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readSource(root); err == nil || !strings.Contains(err.Error(), "stray.go") {
		t.Errorf("got %v, want an error that names stray.go", err)
	}
}
