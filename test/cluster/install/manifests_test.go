package install

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// The install.yaml that is shipped, and the first two that ever were.
const (
	shipped = "../../../manifests/install.yaml"
	first   = "testdata/install-first.yaml"
	early   = "testdata/install-early.yaml"
)

// TestCopiesAreThoseOfTheHistory compares the copies with their originals, as far
// as the checkout has a history.
func TestCopiesAreThoseOfTheHistory(t *testing.T) {
	shallow, err := exec.Command("git", "rev-parse", "--is-shallow-repository").Output()
	if err != nil || strings.TrimSpace(string(shallow)) != "false" {
		t.Logf("no whole history to compare with: %q, %v", shallow, err)
		return
	}
	log, err := exec.Command("git", "log", "--reverse", "--format=%H", "--", shipped).Output()
	if err != nil {
		t.Fatal(err)
	}
	commits := strings.Fields(string(log))
	for i, path := range []string{first, early} {
		if i >= len(commits) {
			t.Logf("the history does not tell where %s comes from", path)
			continue
		}
		original, err := exec.Command("git", "show", commits[i]+":manifests/install.yaml").Output()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(readFile(t, path), original) {
			t.Errorf("%s is not the install.yaml of commit %s", path, commits[i])
		}
	}
}

// writeLocalManifest writes an install.yaml for a gati-webhook on this machine and returns its
// path: where the API server would go to the Service it comes to the process.
// Everything else is as it was.
func writeLocalManifest(t *testing.T, path string) string {
	t.Helper()
	var out bytes.Buffer
	replaced := 0
	for _, object := range parseObjects(t, path) {
		replaced += pointToProcess(object)
		doc, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString("---\n")
		out.Write(doc)
	}
	if replaced < 5 {
		t.Fatalf("%s has %d clientConfigs, want at least those of two hooks and three CRDs", path, replaced)
	}
	local := filepath.Join(t.TempDir(), filepath.Base(path))
	if err := os.WriteFile(local, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return local
}

// pointToProcess replaces the Services in all clientConfigs by the URL of the process,
// and returns how many there were.
func pointToProcess(value any) int {
	found := 0
	switch v := value.(type) {
	case map[string]any:
		if service, ok := v["service"].(map[string]any); ok && service["path"] != nil {
			delete(v, "service")
			v["url"] = env.Webhook.URL() + service["path"].(string)
			return 1
		}
		for _, item := range v {
			found += pointToProcess(item)
		}
	case []any:
		for _, item := range v {
			found += pointToProcess(item)
		}
	}
	return found
}

// parseObjects returns those of a manifest.
func parseObjects(t *testing.T, path string) []map[string]any {
	t.Helper()
	var out []map[string]any
	for _, text := range strings.Split(string(readFile(t, path)), "\n---\n") {
		object := map[string]any{}
		if err := yaml.Unmarshal([]byte(text), &object); err != nil {
			t.Fatal(err)
		}
		out = append(out, object)
	}
	return out
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
