package cluster

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gati.dev/gati/devcluster/internal/state"
)

// brokenAssets has an etcd that says something and ends.
func brokenAssets(t *testing.T, says string) func(context.Context) (string, error) {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\necho first line\necho '" + says + "'\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, "etcd"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return func(context.Context) (string, error) { return dir, nil }
}

func phaseOf(t *testing.T, c *Cluster) state.Phase {
	t.Helper()
	s, err := state.Load(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	if s == nil {
		return ""
	}
	return s.Phase
}

func TestFailedUpTellsWhyAndKeepsLogs(t *testing.T) {
	c := newCluster(t, io.Discard)
	_, err := c.Up(ctx, upOptions(t, brokenAssets(t, "the disk is full")))
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"etcd has ended", c.logPath("etcd"), "first line", "the disk is full"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error %q lacks %q", err, want)
		}
	}
	if phase := phaseOf(t, c); phase != state.Failed {
		t.Errorf("phase %q", phase)
	}
	if gone(c.logPath("etcd")) || !gone(c.path("pki")) || !gone(c.path("data")) {
		t.Error("not just the logs remain")
	}
	// The next one clears that away by itself.
	if _, err := c.Up(ctx, upOptions(t, brokenAssets(t, "again"))); err == nil || strings.Contains(err.Error(), "full") {
		t.Errorf("second try: %v", err)
	}
	if _, err := c.Down(ctx, false); err != nil || !gone(c.dir) {
		t.Errorf("down: %v", err)
	}
}

func TestLostPortIsTriedAgain(t *testing.T) {
	var out bytes.Buffer
	c := newCluster(t, &out)
	_, err := c.Up(ctx, upOptions(t, brokenAssets(t, "bind: address already in use")))
	if !errors.Is(err, errPortTaken) {
		t.Errorf("error %v", err)
	}
	if n := strings.Count(out.String(), "trying again with other ports"); n != maxAttempts-1 {
		t.Errorf("tried again %d times:\n%s", n, &out)
	}
}

func TestInterruptedUpLeavesNothing(t *testing.T) {
	c := newCluster(t, io.Discard)
	ctx, cancel := context.WithCancel(ctx)
	_, err := c.Up(ctx, upOptions(t, func(ctx context.Context) (string, error) {
		if phase := phaseOf(t, c); phase != state.Starting {
			t.Errorf("phase %q while it builds", phase)
		}
		cancel()
		return "", context.Cause(ctx)
	}))
	if err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("error %v", err)
	}
	if !gone(c.dir) {
		t.Error("the directory is still there")
	}
}

func TestStatusOfALeftover(t *testing.T) {
	c := newCluster(t, io.Discard)
	s := &state.State{Marker: "m", Phase: state.Starting, Nodes: "none", Components: []state.Component{{Name: "etcd", URL: "https://127.0.0.1:1"}}}
	leave(t, c, s)
	status, err := c.Status(ctx)
	if err != nil || status.Healthy() || status.Working || len(status.Parts) != 1 || status.Parts[0].Problem == nil {
		t.Errorf("%+v, %v", status, err)
	}
	if err := c.Restart(ctx, "etcd"); err == nil || !strings.Contains(err.Error(), "is not up") {
		t.Errorf("restart: %v", err)
	}
}
