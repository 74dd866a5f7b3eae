package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// profilePairs is what every pod of the second handler is told once all three versions are
// there: callers without a version speak v1.0.0.
const profilePairs = `{"contract": "v1.0.0", "run": ["v1.0.0"], "versions": ["v1.0.0", "v2.0.0", "v3.0.0"], "live": ["v1.0.0", "v2.0.0", "v3.0.0"], "tags": {},
"pairs": [
  {"from": "v1.0.0", "to": "v2.0.0", "request": "profileUp", "response": "profileDown"},
  {"from": "v2.0.0", "to": "v3.0.0", "request": "profileToV3", "response": "profileToV2"}
]}`

// profilesAt starts the second handler in a version.
func profilesAt(t *testing.T, version string, env ...string) *program {
	t.Helper()
	pairs := filepath.Join(t.TempDir(), "pairs.json")
	if err := os.WriteFile(pairs, []byte(profilePairs), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Dir(pairs), filepath.Dir(filepath.Dir(pairs))} {
		if err := os.Chmod(dir, 0o755); err != nil { // Programs run as another user.
			t.Fatal(err)
		}
	}
	return startProgram(t, handler, append([]string{
		"APP_VERSION=" + version, "HANDLER_ID=profiles", "HANDLER_VERSION=" + version, "GATI_PAIRS_FILE=" + pairs,
		"SAMPLE_ROUTES=GET /profiles/:id, POST /profiles/:id",
	}, env...)...)
}

// readProfile returns the answer to one request without what says who gave it.
func (p *program) readProfile(id int, body string) map[string]any {
	p.t.Helper()
	a, err := p.sendRequest(fmt.Sprint("/profiles/", id), body)
	if err != nil || a.status != http.StatusOK {
		p.t.Fatalf("profile %d with %q: %d %s, error %v", id, body, a.status, a.body, err)
	}
	var out map[string]any
	if err := json.Unmarshal([]byte(a.body), &out); err != nil {
		p.t.Fatal(err)
	}
	maps.DeleteFunc(out, func(name string, _ any) bool { return name == "by" })
	return out
}

// TestOldCallersOfProfiles holds that v2.0.0 and v3.0.0 give callers of v1.0.0 what v1.0.0
// gives them, whatever they ask.
func TestOldCallersOfProfiles(t *testing.T) {
	old := profilesAt(t, "v1.0.0")
	for _, version := range []string{"v2.0.0", "v3.0.0"} {
		young := profilesAt(t, version)
		for id := range 6 {
			for _, body := range []string{"", `{}`, `{"status":"new"}`, `{"status":"active"}`, `{"status":"closed"}`} {
				want, got := old.readProfile(id+1, body), young.readProfile(id+1, body)
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("%s, profile %d with %q (-v1.0.0 +%s):\n%s", version, id+1, body, version, d)
				}
			}
		}
	}
}

// TestTransformersFailAsAsked holds that the switch fails that share of the transformers.
func TestTransformersFailAsAsked(t *testing.T) {
	p := profilesAt(t, "v2.0.0", "SAMPLE_TRANSFORMER_FAILURE_RATE=0.1")
	failed := 0
	for id := range 100 {
		a, err := p.sendRequest(fmt.Sprint("/profiles/", id%9+1), "")
		if err != nil {
			t.Fatal(err)
		}
		if a.status == http.StatusInternalServerError {
			failed++
		}
	}
	if failed != 10 { // A GET runs one function: the one for the answer.
		t.Errorf("%d of 100 failed, want 10", failed)
	}
}
