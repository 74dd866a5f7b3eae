package watchdog

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gati.dev/gati/test/support/await"
)

// modeVariable makes the test program a run of tests, which ends as it says.
const modeVariable = "WATCHDOG_TEST_MODE"

func TestMain(m *testing.M) {
	mode := os.Getenv(modeVariable)
	if mode == "" {
		os.Exit(m.Run())
	}
	os.Exit(Run("", func(folder string) int { return pretend(mode, folder) }))
}

// pretend starts a process that outlives its parent, prints its id and the folder, and
// ends in one of the ways in which test programs end.
func pretend(mode, folder string) int {
	cmd := exec.Command("sleep", "600")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "file"), nil, 0o600); err != nil {
		panic(err)
	}
	os.Stdout.WriteString(strconv.Itoa(cmd.Process.Pid) + " " + folder + "\n")
	switch mode {
	case "panic":
		panic("a test panics")
	case "exit":
		os.Exit(3)
	case "wait":
		time.Sleep(time.Hour)
	}
	return 0
}

// run is a pretended run of tests.
type run struct {
	cmd    *exec.Cmd
	child  int
	folder string
}

func begin(t *testing.T, base, mode string) *run {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), modeVariable+"="+mode, "TMPDIR="+base)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child, folder, _ := strings.Cut(strings.TrimSpace(line), " ")
	pid, err := strconv.Atoi(child)
	if err != nil {
		t.Fatal(err)
	}
	return &run{cmd, pid, folder}
}

func (r *run) left() error {
	if syscall.Kill(r.child, 0) == nil && !isZombie(r.child) {
		return errors.New("its process still runs")
	}
	if _, err := os.Stat(r.folder); err == nil {
		return errors.New("its folder is still there")
	}
	return nil
}

// isZombie reports whether a process has ended and was not waited for.
func isZombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(stat), ") Z ")
}

// TestNothingIsLeft ends runs in every way, SIGKILL included.
func TestNothingIsLeft(t *testing.T) {
	for _, mode := range []string{"return", "exit", "panic", "wait"} {
		t.Run(mode, func(t *testing.T) {
			r := begin(t, t.TempDir(), mode)
			if mode == "wait" {
				if r.left() == nil {
					t.Fatal("nothing runs while the tests do")
				}
				if err := r.cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
			_ = r.cmd.Wait()
			await.Within(t, 10*time.Second, "end of all that it started", r.left)
		})
	}
}

// TestTheNextRunRemovesWhatIsLeft kills the watchdog along with its program.
func TestTheNextRunRemovesWhatIsLeft(t *testing.T) {
	base := t.TempDir()
	r := begin(t, base, "wait")
	dog := watchdogOf(t, r.cmd.Process.Pid)
	for _, pid := range []int{dog, r.cmd.Process.Pid} {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	_ = r.cmd.Wait()
	if r.left() == nil {
		t.Fatal("without the watchdog nothing is left, so this test shows nothing")
	}
	running := begin(t, base, "wait")
	if err := r.left(); err != nil {
		t.Error(err)
	}
	next := begin(t, base, "return")
	_ = next.cmd.Wait()
	if running.left() == nil {
		t.Error("a run that goes on was removed")
	}
	_ = running.cmd.Process.Kill()
	_ = running.cmd.Wait()
	await.Within(t, 10*time.Second, "end of the run that went on", running.left)
}

// watchdogOf returns the shell that a run has started.
func watchdogOf(t *testing.T, pid int) int {
	t.Helper()
	lists, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		children, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		for _, child := range strings.Fields(string(children)) {
			name, err := os.ReadFile("/proc/" + child + "/cmdline")
			if id, failed := strconv.Atoi(child); err == nil && failed == nil && strings.HasPrefix(string(name), "sh\x00") {
				return id
			}
		}
	}
	t.Fatal("no watchdog runs")
	return 0
}
