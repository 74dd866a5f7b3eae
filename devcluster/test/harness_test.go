// Package test runs the launcher, built as a user would have it, against the
// real executables. It takes minutes, and longer when those are not in the
// cache, so it runs only when DEVCLUSTER_TEST=1 is set; then it never skips.
//
// It must not know how the launcher works inside: it looks at what is left on
// the machine.
package test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// markerVar is in the environment of every process of a cluster.
const markerVar = "GATI_DEVCLUSTER"

// limit bounds one call of the launcher, the first build apart.
const limit = 5 * time.Minute

// prepare builds the launcher, and what it starts, once for all tests.
var prepare = sync.OnceValues(func() (launcher string, err error) {
	dir, err := os.MkdirTemp("", "devcluster-test-")
	if err != nil {
		return "", err
	}
	launcher = filepath.Join(dir, "devcluster")
	build := exec.Command("go", "build", "-o", launcher, "../cmd/devcluster")
	if out, err := build.CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	warm := exec.Command(launcher, "assets")
	warm.Stderr = os.Stderr
	return launcher, warm.Run()
})

func TestMain(m *testing.M) {
	code := m.Run()
	if os.Getenv("DEVCLUSTER_TEST") == "1" {
		if launcher, err := prepare(); err == nil {
			os.RemoveAll(filepath.Dir(launcher))
		}
	}
	os.Exit(code)
}

// devcluster is one cluster under test.
type devcluster struct {
	*testing.T
	launcher, dir string
}

func newDevcluster(t *testing.T) devcluster {
	t.Helper()
	if os.Getenv("DEVCLUSTER_TEST") != "1" {
		t.Skip("starts real clusters, which takes minutes; set DEVCLUSTER_TEST=1 to run it")
	}
	launcher, err := prepare()
	if err != nil {
		t.Fatal(err)
	}
	d := devcluster{T: t, launcher: launcher, dir: filepath.Join(t.TempDir(), "dc")}
	t.Cleanup(func() { d.runLauncher(0, "down", "--dir", d.dir) })
	return d
}

// forTest returns the cluster for a part of its test.
func (d devcluster) forTest(t *testing.T) devcluster {
	d.T = t
	return d
}

// runLauncher runs the launcher and wants an exit code of it.
func (d devcluster) runLauncher(code int, args ...string) string {
	d.Helper()
	return d.runProgram(code, d.launcher, args...)
}

func (d devcluster) startCluster() {
	d.Helper()
	d.runLauncher(0, "up", "--dir", d.dir, "--nodes", "kwok:1")
}
func (d devcluster) stopCluster() { d.Helper(); d.runLauncher(0, "down", "--dir", d.dir) }

// runKubectl runs the kubectl that belongs to the cluster.
func (d devcluster) runKubectl(args ...string) string {
	d.Helper()
	assets := strings.TrimSpace(d.runLauncher(0, "assets"))
	args = append([]string{"--kubeconfig", filepath.Join(d.dir, "kubeconfig")}, args...)
	return d.runProgram(0, filepath.Join(assets, "kubectl"), args...)
}

func (d devcluster) runProgram(code int, path string, args ...string) string {
	d.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), "KUBEBUILDER_ASSETS=")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
		// Errorf, because this also runs beside the test's own goroutine.
		d.Errorf("%s %v: %v, want exit code %d\n%s%s", filepath.Base(path), args, err, code, &stdout, &stderr)
	}
	return stdout.String()
}

// clusterState is the part of the state file that the tests read.
type clusterState struct {
	Marker     string
	Phase      string
	Ports      map[string]int
	Components []struct {
		Name    string
		Process struct{ PID int }
	}
}

func (d devcluster) readState() (s clusterState, ok bool) {
	data, err := os.ReadFile(filepath.Join(d.dir, "state.json"))
	return s, err == nil && json.Unmarshal(data, &s) == nil
}

// processOf returns the process of a component, once it is known.
func (s clusterState) processOf(name string) int {
	for _, component := range s.Components {
		if component.Name == name {
			return component.Process.PID
		}
	}
	return 0
}

// listProcesses lists the processes that carry a marker. What has ended but was
// not reaped by the machine's init has no environment, and so no marker.
func listProcesses(marker string) []string {
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	var found []string
	for _, path := range environs {
		environ, _ := os.ReadFile(path)
		if bytes.Contains(environ, []byte(markerVar+"="+marker)) {
			found = append(found, filepath.Base(filepath.Dir(path)))
		}
	}
	return found
}

// wantNothingLeft checks that a cluster left no process and no file.
func (d devcluster) wantNothingLeft(marker string) {
	d.Helper()
	if marker == "" {
		d.Error("the cluster's marker was never seen")
	}
	if found := listProcesses(marker); len(found) > 0 {
		d.Errorf("processes %v are left", found)
	}
	if _, err := os.Stat(d.dir); !errors.Is(err, fs.ErrNotExist) {
		d.Errorf("%s is left", d.dir)
	}
}
