package walls

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"
)

// runs is how often what is measured is run.
const runs = 5

// asMeasure makes the test binary run what its arguments name, and print the cost.
const asMeasure = "GATI_TEST_MEASURES"

func TestMain(m *testing.M) {
	if os.Getenv(asMeasure) != "" {
		os.Exit(measure(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// cost is what a run of a program has taken.
type cost struct {
	Wall, CPU time.Duration
	// Peak is the most memory that it had, in KiB.
	Peak int64
}

func (c cost) String() string {
	return fmt.Sprintf("%v, %v on the CPU, %.1f MiB at most", c.Wall.Round(time.Millisecond), c.CPU.Round(time.Millisecond), float64(c.Peak)/1024)
}

// measured runs a program so often, and returns the median of each figure. A process
// starts with the peak of the one that started it, which for a test that serves
// 20,000 pods is that of the pods: so a small one lies between.
func measured(t *testing.T, program string, args ...string) cost {
	t.Helper()
	var wall, cpu []time.Duration
	var peak []int64
	for range runs {
		cmd := exec.CommandContext(t.Context(), os.Args[0], append([]string{program}, args...)...)
		cmd.Env = append(os.Environ(), asMeasure+"=1")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		var c cost
		if err := json.Unmarshal(out, &c); err != nil {
			t.Fatalf("%v in %q", err, out)
		}
		wall, cpu, peak = append(wall, c.Wall), append(cpu, c.CPU), append(peak, c.Peak)
	}
	slices.Sort(peak)
	return cost{median(wall), median(cpu), peak[len(peak)/2]}
}

// measure runs a program and prints its cost as JSON.
func measure(args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	begin := time.Now()
	err := cmd.Run()
	took := time.Since(begin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	c := cost{Wall: took, CPU: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.Peak = used.Maxrss
	}
	if err := json.NewEncoder(os.Stdout).Encode(c); err != nil {
		return 1
	}
	return 0
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2].Round(100 * time.Microsecond)
}
