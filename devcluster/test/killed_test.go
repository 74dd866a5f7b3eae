package test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// moment is a point of an `up`, by what its state file says then.
type moment struct {
	name string
	here func(clusterState) bool
}

var moments = []moment{
	{"before any process", func(s clusterState) bool { return s.Marker != "" }},
	{"etcd starts", func(s clusterState) bool { return len(s.Components) > 0 }},
	{"etcd runs", func(s clusterState) bool { return s.processOf("etcd") != 0 }},
	{"API server runs", func(s clusterState) bool { return s.processOf("kube-apiserver") != 0 }},
	{"all run", func(s clusterState) bool { return s.processOf("kwok") != 0 }},
}

// halfOfMoments returns every second moment, with GATI_TEST_SHARE=1 the others, and with
// GATI_SOAK=devcluster all.
func halfOfMoments() (chosen []moment) {
	share, _ := strconv.Atoi(os.Getenv("GATI_TEST_SHARE"))
	for i, m := range moments {
		if (i+share)%2 == 0 || os.Getenv("GATI_SOAK") == "devcluster" {
			chosen = append(chosen, m)
		}
	}
	return chosen
}

// interruptUp starts an `up` and sends it a signal at a moment of its own, not of
// what ran in the directory before. It returns the marker of that run.
func (d devcluster) interruptUp(here func(clusterState) bool, signal syscall.Signal, nodes string) string {
	d.Helper()
	before, _ := d.readState()
	cmd := exec.Command(d.launcher, "up", "--dir", d.dir, "--nodes", nodes)
	cmd.Env = append(os.Environ(), "KUBEBUILDER_ASSETS=")
	if err := cmd.Start(); err != nil {
		d.Fatal(err)
	}
	deadline := time.Now().Add(limit)
	for {
		s, ok := d.readState()
		if ok && s.Marker != before.Marker && here(s) {
			_ = cmd.Process.Signal(signal)
			if err := cmd.Wait(); err == nil {
				d.Error("the launcher was done before the signal")
			}
			return s.Marker
		}
		if time.Now().After(deadline) {
			_ = cmd.Process.Kill()
			d.Fatal("the moment does not come")
		}
		time.Sleep(time.Millisecond)
	}
}

func TestDownAfterAKilledUp(t *testing.T) {
	for _, moment := range halfOfMoments() {
		t.Run(moment.name, func(t *testing.T) {
			d := newDevcluster(t)
			marker := d.interruptUp(moment.here, syscall.SIGKILL, "kwok:1")
			if out := d.runLauncher(3, "status", "--dir", d.dir); !strings.Contains(out, "no devcluster is at work on it") {
				t.Errorf("status says %q", out)
			}
			d.stopCluster()
			d.wantNothingLeft(marker)
		})
	}
}

// One run after another is killed in the same directory, each a little later, and
// the last comes up.
func TestUpAfterAKilledUp(t *testing.T) {
	d := newDevcluster(t)
	var killed []string
	moments := halfOfMoments()
	for _, moment := range moments {
		killed = append(killed, d.interruptUp(moment.here, syscall.SIGKILL, "kwok:1"))
		for i, marker := range killed[:len(killed)-1] {
			if found := listProcesses(marker); len(found) > 0 {
				t.Errorf("%s: processes %v of the run killed before, when %s, are left", moment.name, found, moments[i].name)
			}
		}
	}
	d.startCluster()
	if found := listProcesses(killed[len(killed)-1]); len(found) > 0 {
		t.Errorf("processes %v of the killed run are left", found)
	}
	d.runLauncher(0, "status", "--dir", d.dir)
	d.stopCluster()
}

func TestCtrlC(t *testing.T) {
	for _, moment := range halfOfMoments() {
		t.Run(moment.name, func(t *testing.T) {
			d := newDevcluster(t)
			d.wantNothingLeft(d.interruptUp(moment.here, syscall.SIGINT, "kwok:1"))
		})
	}
}
