package gitops

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the goldens")

// TestSyncFiles holds the objects for Flux and Argo CD. test/cluster/gitops
// applies those for Flux to Flux's own CRDs, test/programs/gitops reads that for Argo CD with
// Argo CD's types.
func TestSyncFiles(t *testing.T) {
	for _, tool := range Tools {
		files, err := SyncFiles(tool, Source{URL: "git@git.example.com:shop/plans.git", Branch: "main", Path: "clusters/test", Secret: "gati-git"})
		if err != nil {
			t.Fatal(err)
		}
		golden := "testdata/" + tool + ".yaml"
		if *update {
			if err := os.WriteFile(golden, files[tool+".yaml"], 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(files[tool+".yaml"])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", golden, diff)
		}
	}
	if _, err := SyncFiles("flux", Source{URL: "file:///var/plans.git", Branch: "main"}); err == nil || !strings.Contains(err.Error(), "flux cannot read file:///var/plans.git") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := SyncFiles("other", Source{URL: "https://git.example.com/plans"}); err == nil || !strings.Contains(err.Error(), "want one of flux, argocd") {
		t.Errorf("another tool: %v", err)
	}
	files, err := SyncFiles("argocd", Source{URL: "https://git.example.com/plans", Branch: "main"})
	if err != nil || !strings.Contains(string(files["argocd.yaml"]), "{{index .path.segments 0}}") {
		t.Errorf("at the root: %v\n%s", err, files["argocd.yaml"])
	}
}
