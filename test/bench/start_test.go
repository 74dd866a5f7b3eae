package bench

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// startBudget is how long the plugin may take to say what it can do.
const startBudget = 15 * time.Millisecond

// plugin is the program that is measured: of GATI_BIN, or as "make build" leaves it.
func plugin() string {
	return filepath.Join(cmp.Or(os.Getenv("GATI_BIN"), filepath.Join("..", "..", "bin")), "kubectl-gati")
}

// TestBenchStart times the plugin's start, and beside it that of the libraries which
// it has to link. It prints and does not judge: on a busy machine the time of a
// process is that of the others.
func TestBenchStart(t *testing.T) {
	libraries := filepath.Join(t.TempDir(), "libraries")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", libraries, "./libraries")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for _, program := range []string{plugin(), libraries, plugin(), libraries} {
		wall, cpu := started(t, program)
		t.Logf("%s --help: %s, of which %s on the CPU (budget %s)", filepath.Base(program), wall, cpu, startBudget)
	}
}

// started is how long a program takes to print its help, and how long of it on the
// CPU.
func started(t *testing.T, program string) (wall, cpu time.Duration) {
	t.Helper()
	var walls, cpus []time.Duration
	for range *rounds {
		help := exec.Command(program, "--help")
		begin := time.Now()
		if err := help.Run(); err != nil {
			t.Fatal(err)
		}
		walls = append(walls, time.Since(begin))
		cpus = append(cpus, help.ProcessState.UserTime()+help.ProcessState.SystemTime())
	}
	return median(walls), median(cpus)
}
