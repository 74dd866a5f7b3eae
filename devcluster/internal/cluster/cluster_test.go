package cluster

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gati.dev/gati/devcluster/internal/control"
	"gati.dev/gati/devcluster/internal/nodes"
	"gati.dev/gati/devcluster/internal/proc"
	"gati.dev/gati/devcluster/internal/progress"
	"gati.dev/gati/devcluster/internal/state"
)

var ctx = context.Background()

// newCluster returns the cluster of a directory that does not exist yet.
func newCluster(t *testing.T, out io.Writer) *Cluster {
	t.Helper()
	c, err := Open(filepath.Join(t.TempDir(), "dc"), progress.New(out))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// leave makes the directory look as a launcher left it.
func leave(t *testing.T, c *Cluster, s *state.State, files ...string) {
	t.Helper()
	if err := os.Mkdir(c.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(c.path(name)), 0o700), os.WriteFile(c.path(name), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if s != nil {
		if err := s.Save(c.dir); err != nil {
			t.Fatal(err)
		}
	}
}

func sleeper(t *testing.T, marker string) *proc.Process {
	t.Helper()
	process, err := proc.Start(proc.Spec{Path: "/bin/sleep", Args: []string{"60"}, Marker: marker,
		Home: t.TempDir(), LogFile: filepath.Join(t.TempDir(), "log")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proc.Kill([]proc.ID{process.ID}) })
	return process
}

func ended(process *proc.Process) bool {
	select {
	case <-process.Exited():
		return true
	case <-time.After(200 * time.Millisecond):
		return false
	}
}

func gone(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

func upOptions(t *testing.T, assets func(context.Context) (string, error)) UpOptions {
	t.Helper()
	provider, err := nodes.Parse("none")
	if err != nil {
		t.Fatal(err)
	}
	return UpOptions{Nodes: provider, Assets: assets}
}

func TestUpRefusesAForeignDirectory(t *testing.T) {
	c := newCluster(t, io.Discard)
	leave(t, c, nil, "data/precious")
	_, err := c.Up(ctx, upOptions(t, nil))
	if err == nil || !strings.Contains(err.Error(), "no devcluster") {
		t.Errorf("up: %v", err)
	}
	if existed, err := c.Down(ctx, false); existed || err != nil {
		t.Errorf("down: existed %v, %v", existed, err)
	}
	if gone(c.path("data/precious")) {
		t.Error("the file was removed")
	}
}

func TestDownEndsAndRemovesOnlyItsOwn(t *testing.T) {
	c := newCluster(t, io.Discard)
	marker := state.NewMarker(c.dir)
	named, unnamed, stranger := sleeper(t, marker), sleeper(t, marker), sleeper(t, "other")
	recycled := proc.ID{PID: stranger.ID.PID, Start: "1"}
	s := &state.State{Marker: marker, Phase: state.Ready, Components: []state.Component{
		{Name: "etcd", Process: named.ID}, {Name: "kwok", Process: recycled}}}
	leave(t, c, s, "data/etcd/db", "pki/ca.key", "logs/etcd.log", "kubeconfig", "users-own")
	if existed, err := c.Down(ctx, false); !existed || err != nil {
		t.Fatalf("existed %v, %v", existed, err)
	}
	if !ended(named) || !ended(unnamed) {
		t.Error("a process of the cluster still runs")
	}
	if ended(stranger) {
		t.Error("a stranger with a recycled pid was ended")
	}
	for _, name := range append(ours, control.LogDir, state.FileName) {
		if !gone(c.path(name)) {
			t.Errorf("%s is still there", name)
		}
	}
	if gone(c.path("users-own")) {
		t.Error("the user's file was removed")
	}
}

func TestDownOfADeletedDirectory(t *testing.T) {
	c := newCluster(t, io.Discard)
	orphan := sleeper(t, state.NewMarker(c.dir))
	if existed, err := c.Down(ctx, false); !existed || err != nil {
		t.Errorf("existed %v, %v", existed, err)
	}
	if !ended(orphan) {
		t.Error("the orphan still runs")
	}
	if existed, err := c.Down(ctx, false); existed || err != nil {
		t.Errorf("again: existed %v, %v", existed, err)
	}
}

func TestKeepLogs(t *testing.T) {
	c := newCluster(t, io.Discard)
	leave(t, c, &state.State{Marker: "m", Phase: state.Ready}, "data/db", "logs/etcd.log")
	if _, err := c.Down(ctx, true); err != nil {
		t.Fatal(err)
	}
	if gone(c.path("logs/etcd.log")) || !gone(c.path("data")) {
		t.Error("not just the logs were kept")
	}
	if existed, err := c.Down(ctx, false); !existed || err != nil || !gone(c.dir) {
		t.Errorf("existed %v, %v; directory gone: %v", existed, err, gone(c.dir))
	}
}

func TestDownAfterADeathBeforeTheFirstState(t *testing.T) {
	c := newCluster(t, io.Discard)
	leave(t, c, nil, state.TempName)
	if _, err := c.Down(ctx, false); err != nil || !gone(c.dir) {
		t.Errorf("%v; directory gone: %v", err, gone(c.dir))
	}
}
