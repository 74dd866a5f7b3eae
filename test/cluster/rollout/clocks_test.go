package rollout_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/local"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/test/support/kube"
)

const (
	// apart is how wrong each clock is.
	apart = 5 * time.Minute
	// longPause is several times what a change of leader takes.
	longPause = 25 * time.Second
	// tolerated is how early a step may be taken.
	tolerated = 2 * time.Second
)

// TestClocks changes the leader in every pause of a canary, by kill -9, between
// processes whose clocks are five minutes ahead and five minutes behind. By the API
// server's clock, which writes its time into managedFields, no step is taken early.
//
// The processes are gati-webhook built with another package time: all that they
// link sees the wrong time, and the program has no switch for it. That build takes
// minutes where it is not in the cache, which is why it is no part of make test.
func TestClocks(t *testing.T) {
	if !soak.IsLong("clocks") {
		t.Skip("make soak NAME=clocks runs it")
	}
	binary := buildWithWrongClock(t)
	if err := webhook.Stop(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { startWebhook(t, webhook) })
	leader := newReplica(t, binary, filepath.Dir(webhook.LogPath()), -apart)
	startWebhook(t, leader)
	follower := newReplica(t, binary, t.TempDir(), apart)
	startWebhook(t, follower)

	w := newWorld(t)
	for _, version := range []string{"v1", "v2", "v3"} {
		film := w.recordHandler("users")
		w.applyHandler(w.makeCanary(version).Spec(func(s *v1.GatiHandlerSpec) {
			s.Rollout.Steps = []v1.RolloutStep{{Weight: 10, Pause: v1.Duration(longPause.String())}, {Weight: 50, Pause: v1.Duration(longPause.String())}, {Weight: 100}}
			s.Rollout.RollbackWindow, s.Versions.Drain.Deadline = "1s", "1s"
		}).Obj())
		for _, weight := range []int32{10, 50} {
			if version == "v1" {
				break // The first version has no steps.
			}
			w.awaitAcceptedWeight("users", version, weight)
			if err := leader.Kill(); err != nil {
				t.Fatal(err)
			}
			startWebhook(t, leader)
			leader, follower = follower, leader
		}
		h := w.awaitPhase("users", version+" 100", v1.RolloutStable)
		if version != "v1" {
			assertNoEarlyRaise(t, film.awaitStatesUntil(h), version)
		}
	}
}

// assertNoEarlyRaise holds that a version's weight was not raised before the pause was over that
// began when the weight before was accepted.
func assertNoEarlyRaise(t *testing.T, frames []*v1.GatiHandler, version string) {
	t.Helper()
	var weight int32
	var since time.Time
	raises := 0
	for _, h := range frames {
		v := kube.VersionStatus(h, version)
		switch {
		case v == nil:
		case v.Weight > weight:
			if now := statusWriteTime(t, h); !since.IsZero() {
				raises++
				t.Logf("%s: %d %% → %d %% after %s", version, weight, v.Weight, now.Sub(since))
				if now.Sub(since) < longPause-tolerated {
					t.Errorf("%s had %d %% for %s, its pause is %s:\n%s", version, weight, now.Sub(since), longPause, describeHandler(h))
				}
			}
			weight, since = v.Weight, time.Time{}
		case weight > 0 && since.IsZero() && v.AcceptedWeight != nil && *v.AcceptedWeight == weight:
			since = statusWriteTime(t, h)
		}
	}
	if raises != 2 {
		t.Errorf("%d steps were taken after a pause, want 2", raises)
	}
}

// statusWriteTime is when the API server stored the status.
func statusWriteTime(t *testing.T, h *v1.GatiHandler) time.Time {
	t.Helper()
	for _, e := range h.ManagedFields {
		if e.Subresource == "status" && e.Manager == v1.FieldManager {
			return e.Time.Time
		}
	}
	t.Fatal("the status has no writer")
	return time.Time{}
}

// awaitAcceptedWeight waits until the gateway has accepted a version's weight.
func (w *world) awaitAcceptedWeight(name, version string, weight int32) {
	w.t.Helper()
	w.eventually(fmt.Sprintf("%s with %d %% accepted", version, weight), func() error {
		h := w.readHandler(name)
		if v := kube.VersionStatus(h, version); v == nil || v.Weight != weight || v.AcceptedWeight == nil || *v.AcceptedWeight != weight {
			return errors.New(describeHandler(h))
		}
		return nil
	})
}

// newReplica returns a gati-webhook that elects a leader and whose clock is wrong.
func newReplica(t *testing.T, binary, dir string, ahead time.Duration) *local.Webhook {
	t.Helper()
	w, err := local.Prepare(cluster, dir, "--leader-election-lease-duration=8s", "--leader-election-renew-deadline=6s", "--leader-election-retry-period=1s")
	if err == nil {
		err = w.Authorize(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "gati-webhook")
	text := fmt.Sprintf("#!/bin/sh\nCLOCK_AHEAD=%d exec %s \"$@\"\n", int(ahead.Seconds()), binary)
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	w.UseBuild(script)
	t.Cleanup(func() {
		if err := w.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			log, _ := os.ReadFile(w.LogPath())
			t.Logf("%s\n%s", ahead, log)
		}
	})
	return w
}

// wrongClock is added to package time: CLOCK_AHEAD is by how many seconds
// the clock is wrong.
const wrongClock = `package time

import "syscall"

var ahead = func() (n int64) {
	text, _ := syscall.Getenv("CLOCK_AHEAD")
	for _, c := range text {
		if c != '-' {
			n = 10*n + int64(c-'0')
		}
	}
	if text != "" && text[0] == '-' {
		return -n
	}
	return n
}()
`

// buildWithWrongClock builds gati-webhook with that package time.
func buildWithWrongClock(t *testing.T) string {
	t.Helper()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	of := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	source, err := os.ReadFile(filepath.Join(of, "time.go"))
	if err != nil {
		t.Fatal(err)
	}
	const reads = "sec, nsec, mono := runtimeNow()\n"
	if strings.Count(string(source), reads) != 1 {
		t.Fatalf("%s does not read the clock as it did", of)
	}
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(of, "time.go"):  put("time.go", strings.Replace(string(source), reads, reads+"\tsec += ahead\n", 1)),
		filepath.Join(of, "ahead.go"): put("ahead.go", wrongClock),
	}})
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "gati-webhook")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-overlay", put("overlay.json", string(overlay)), "-o", binary, "gati.dev/gati/cmd/gati-webhook")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return binary
}

func startWebhook(t *testing.T, w *local.Webhook) {
	t.Helper()
	if err := w.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
}
