package walls

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	// maxSize is the most that the stripped plugin may weigh.
	maxSize = 45 << 20
	// startBudget is the bar of a start.
	startBudget = 15 * time.Millisecond
)

// TestPlugin builds the plugin as it is released, holds what it may weigh, and
// prints that and how long it takes to start.
func TestPlugin(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "kubectl-gati")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", binary, "./cmd/kubectl-gati")
	build.Dir = "../.."
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	t.Run("size", func(t *testing.T) { size(t, binary) })
	t.Run("start", func(t *testing.T) { start(t, binary) })
	t.Run("status among pods", func(t *testing.T) { amongPods(t, binary) })
	t.Run("completion", func(t *testing.T) { completion(t, binary) })
}

func size(t *testing.T, binary string) {
	info, err := os.Stat(binary)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("kubectl-gati: %.1f MiB stripped, at most %d", float64(info.Size())/(1<<20), maxSize>>20)
	if info.Size() > maxSize {
		t.Errorf("the plugin has %d bytes, more than %d", info.Size(), maxSize)
	}
}

// start prints and does not judge: on a busy machine the time is that of the
// others. The CPU time is closer to the plugin's own.
func start(t *testing.T, binary string) {
	var wall, cpu []time.Duration
	for range runs {
		help := exec.Command(binary, "--help")
		begin := time.Now()
		if err := help.Run(); err != nil {
			t.Fatal(err)
		}
		wall = append(wall, time.Since(begin))
		cpu = append(cpu, help.ProcessState.UserTime()+help.ProcessState.SystemTime())
	}
	t.Logf("kubectl-gati --help: %v, of which %v on the CPU, medians of %d; bar %v", median(wall), median(cpu), runs, startBudget)
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2].Round(100 * time.Microsecond)
}

// completion holds that the name by which kubectl looks for completions leads to
// them.
func completion(t *testing.T, binary string) {
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
