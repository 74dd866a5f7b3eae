package bench

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// startBudget is how much longer than its libraries the plugin may take to start.
const startBudget = 5 * time.Millisecond

// pluginPath is the program that is measured: of GATI_BIN, or as "make build" leaves it.
func pluginPath() string {
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
	ours, theirs := &starts{program: pluginPath()}, &starts{program: libraries}
	for range *rounds * startsPerRound {
		ours.measureMore(t)
		theirs.measureMore(t) // In turn, so that both meet the same machine.
	}
	t.Logf("kubectl-gati --help: %s, of which %s on the CPU", median(ours.wall), median(ours.cpu))
	t.Logf("its libraries alone: %s, of which %s on the CPU", median(theirs.wall), median(theirs.cpu))
	t.Logf("the difference: %s (budget %s)", median(ours.wall)-median(theirs.wall), startBudget)
}

// startsPerRound makes up for what one start differs from the next.
const startsPerRound = 9

// starts are how long a program took to print its help, and how long of it on the CPU.
type starts struct {
	program   string
	wall, cpu []time.Duration
}

func (s *starts) measureMore(t *testing.T) {
	t.Helper()
	help := exec.Command(s.program, "--help")
	begin := time.Now()
	if err := help.Run(); err != nil {
		t.Fatal(err)
	}
	s.wall = append(s.wall, time.Since(begin))
	s.cpu = append(s.cpu, help.ProcessState.UserTime()+help.ProcessState.SystemTime())
}
