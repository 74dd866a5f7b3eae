package walls

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// maxSize is the largest size of the stripped plugin in bytes.
const maxSize = 50 << 20

// TestPlugin builds the plugin as for a release, and checks its size, start, requests
// and completion.
func TestPlugin(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "kubectl-gati")
	build := exec.Command("go", "build", "-gcflags", "k8s.io/api/...=-l", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", binary, "./cmd/kubectl-gati")
	build.Dir = "../.."
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	t.Run("size", func(t *testing.T) { checkSize(t, binary) })
	t.Run("start", func(t *testing.T) { checkStart(t, binary) })
	t.Run("status among pods", func(t *testing.T) { checkStatusAmongPods(t, binary) })
	t.Run("completion", func(t *testing.T) { checkCompletion(t, binary) })
}

// checkSize holds the bar of the stripped binary.
func checkSize(t *testing.T, binary string) {
	info, err := os.Stat(binary)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("kubectl-gati: %.1f MiB stripped, at most %d", float64(info.Size())/(1<<20), maxSize>>20)
	if info.Size() > maxSize {
		t.Errorf("the plugin has %d bytes, limit %d; find what was added with: go tool nm -size -sort size", info.Size(), maxSize)
	}
}

// checkCompletion holds that the plugin completes under the name that kubectl calls.
func checkCompletion(t *testing.T, binary string) {
	link := filepath.Join(filepath.Dir(binary), "kubectl_complete-gati")
	if err := os.Symlink(binary, link); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(link, "st").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(out), "status\t") {
		t.Errorf("got %q", out)
	}
}
