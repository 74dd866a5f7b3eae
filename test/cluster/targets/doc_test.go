package targets

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/test/support/repository"
)

// shells are the blocks of commands of a page.
var shells = regexp.MustCompile("(?ms)^```sh\n(.*?)^```\n")

// TestEveryCommandOfTheDocumentRuns runs the commands of docs/targets.md about helm in
// their order, in a folder that has the manifests. test/cluster/gitops runs the others.
func TestEveryCommandOfTheDocumentRuns(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/targets.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(repository.Path("manifests"), filepath.Join(dir, "manifests")); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"helm": helmPath(t), "kubectl": env.Cluster.Kubectl} {
		if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	_, after, _ := strings.Cut(string(page), "\n## helm\n")
	section, _, found := strings.Cut(after, "\n## gitops\n")
	blocks := shells.FindAllStringSubmatch(section, -1)
	if !found || len(blocks) < 3 {
		t.Fatalf("the section about helm has %d blocks of commands", len(blocks))
	}
	t.Cleanup(func() {
		shop := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
		if err := admin.Delete(context.Background(), shop); client.IgnoreNotFound(err) != nil {
			t.Error(err)
		}
	})
	for _, block := range blocks {
		cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", block[1])
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "KUBECONFIG="+env.Cluster.Kubeconfig, "HOME="+dir, "PATH="+strings.Join([]string{bin, repository.Bin(), os.Getenv("PATH")}, ":"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s\n%v\n%s", block[1], err, out)
		}
	}
}
