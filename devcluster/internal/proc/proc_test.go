package proc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// startShell starts a shell that runs a script, and ends it with the test.
func startShell(t *testing.T, marker, script string) (*Process, string) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	process, err := Start(Spec{Path: "/bin/sh", Args: []string{"-c", script}, Marker: marker, Home: t.TempDir(), LogFile: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = Kill([]ID{process.ID}) })
	return process, log
}

func TestStop(t *testing.T) {
	willing, _ := startShell(t, "willing", "exec sleep 60")
	stubborn, log := startShell(t, "stubborn", "trap '' TERM; echo deaf; while :; do sleep 0.1; done")
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if said, _ := os.ReadFile(log); strings.Contains(string(said), "deaf") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the stubborn process does not start")
		}
	}
	if !willing.ID.Alive() || !stubborn.ID.Alive() {
		t.Fatal("a process that was just started is not alive")
	}
	if err := Stop([]ID{willing.ID, stubborn.ID, {}}, 200*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	for _, process := range []*Process{willing, stubborn} {
		if process.ID.Alive() {
			t.Errorf("process %d is alive", process.ID.PID)
		}
		<-process.Exited()
	}
}

func TestRecycledPidIsLeftAlone(t *testing.T) {
	stranger, _ := startShell(t, "stranger", "exec sleep 60")
	former := ID{PID: stranger.ID.PID, Start: "1"}
	if former.Alive() {
		t.Error("a pid with another start time counts as the same process")
	}
	if err := Stop([]ID{former, {PID: stranger.ID.PID}}, 0); err != nil {
		t.Fatal(err)
	}
	select {
	case <-stranger.Exited():
		t.Error("the stranger was ended")
	case <-time.After(100 * time.Millisecond):
	}
}

func TestFind(t *testing.T) {
	const marker = "find-me"
	process, _ := startShell(t, marker+"-1", "exec sleep 60")
	startShell(t, "find-another-owner", "exec sleep 60")
	commands := []string{"sleep 60"} // Only looked at where there is no marker.
	if os.PathSeparator != '/' || !hasProc() {
		t.Skip("the marker is found by /proc, which this system lacks")
	}
	ids, err := Find(marker, commands)
	if err != nil || len(ids) != 1 || ids[0] != process.ID {
		t.Errorf("found %v, %v; want only %v", ids, err, process.ID)
	}
}

func hasProc() bool {
	_, err := os.Stat("/proc/self/environ")
	return err == nil
}

func TestEnvironmentIsSmall(t *testing.T) {
	t.Setenv("KUBECONFIG", "/somewhere")
	t.Setenv("HTTPS_PROXY", "http://proxy")
	process, log := startShell(t, "env", "env")
	<-process.Exited()
	said, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"KUBECONFIG=", "HTTPS_PROXY="} {
		if strings.Contains(string(said), name) {
			t.Errorf("%s reaches the process", name)
		}
	}
	if !strings.Contains(string(said), MarkerVar+"=env\n") {
		t.Errorf("the marker is missing in %s", said)
	}
}
