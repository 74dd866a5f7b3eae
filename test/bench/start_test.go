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

// TestBenchStart times the plugin's start. It prints and does not judge: on a busy
// machine the time of a process is that of the others. The time on the CPU is closer
// to the plugin's own.
func TestBenchStart(t *testing.T) {
	var wall, cpu []time.Duration
	for range rounds {
		help := exec.Command(plugin(), "--help")
		begin := time.Now()
		if err := help.Run(); err != nil {
			t.Fatal(err)
		}
		wall = append(wall, time.Since(begin))
		cpu = append(cpu, help.ProcessState.UserTime()+help.ProcessState.SystemTime())
	}
	t.Logf("kubectl-gati --help: %s, of which %s on the CPU (budget %s)", median(wall), median(cpu), startBudget)
}
