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

// runs is the number of runs behind each median.
const runs = 5

// asMeasure makes the test binary run what its arguments name, and print the cost.
const asMeasure = "GATI_TEST_MEASURES"

func TestMain(m *testing.M) {
	if os.Getenv(asMeasure) != "" {
		os.Exit(measureOnce(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// cost is the resources that one run of a program used.
type cost struct {
	Wall, CPU time.Duration
	// Peak is the largest resident memory, in KiB.
	Peak int64
}

func (c cost) String() string {
	return fmt.Sprintf("%v, %v on the CPU, %.1f MiB at most", c.Wall.Round(time.Millisecond), c.CPU.Round(time.Millisecond), float64(c.Peak)/1024)
}

// measureRuns runs a program several times and returns the median of each figure. A
// process inherits the peak memory of its parent, which for a test that serves 20,000
// pods is large. A small process therefore stands between the two.
func measureRuns(t *testing.T, program string, args ...string) cost {
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

// measureOnce runs a program and prints its cost as JSON.
func measureOnce(args []string) int {
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
