package krew

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func readManifest(t *testing.T) ([]byte, *Manifest) {
	t.Helper()
	text, err := os.ReadFile("../../../krew.yaml")
	if err != nil {
		t.Fatal(err)
	}
	m, err := Decode(text)
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
		got = append(got, p.OS()+"/"+p.Arch())
		if want := "kubectl-gati_" + p.OS() + "_" + p.Arch() + ".tar.gz"; !strings.HasSuffix(p.URI, "/"+m.Spec.Version+"/"+want) {
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
			_, err := Decode(bytes.ReplaceAll(text, []byte(tc.from), []byte(tc.to)))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// TestEncode holds that a written manifest is as valid as the one it came from,
// with only the platforms that were built.
func TestEncode(t *testing.T) {
	_, m := readManifest(t)
	m.KeepPlatform("linux", "arm64")
	m.Spec.Platforms[0].SHA256 = strings.Repeat("ab", 32)
	text, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, again); diff != "" {
		t.Errorf("(-want,+got):\n%s", diff)
	}
}
