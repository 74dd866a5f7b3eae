package cluster_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/clitest"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/status"
	"gati.dev/gati/pkg/status/statustest"
)

// feedOf follows the handler users of a server.
func feedOf(t *testing.T, server *clitest.Server) <-chan status.Snapshot {
	ref := cluster.Ref{Kind: status.KindHandler, Name: "users"}
	return cluster.Follow(t.Context(), connect(t, server.URL), statustest.Namespace, ref, func() time.Time { return statustest.Now })
}

// until reads snapshots until one is as wanted.
func until(t *testing.T, feed <-chan status.Snapshot, wanted func(status.Snapshot) bool) status.Snapshot {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		select {
		case s := <-feed:
			if wanted(s) {
				return s
			}
		case <-deadline:
			t.Fatal("no such snapshot")
		}
	}
}

func healthIs(h status.Health) func(status.Snapshot) bool {
	return func(s status.Snapshot) bool { return len(s.Handlers) == 1 && s.Handlers[0].Health == h }
}

func watched(t *testing.T, server *clitest.Server, resource string) {
	t.Helper()
	for range 1000 {
		if server.Watched(resource) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("nobody watches %s", resource)
}

func TestFollow(t *testing.T) {
	server := clitest.NewServer(t, statustest.Progressing())
	feed := feedOf(t, server)
	first := until(t, feed, func(status.Snapshot) bool { return true })
	if !healthIs(status.Progressing)(first) || first.Handlers[0].Desired != 2 {
		t.Errorf("the first snapshot is not whole: %+v", first.Handlers)
	}
	for _, resource := range []string{status.ResourceDeployments, status.ResourceHandlers, status.ResourcePods} {
		watched(t, server, resource)
	}
	ready := statustest.Healthy()
	server.Send(status.ResourceDeployments, "MODIFIED", &ready.Deployments[0])
	server.Send(status.ResourceHandlers, "MODIFIED", &ready.Handlers[0])
	until(t, feed, healthIs(status.Healthy))
	server.Send(status.ResourceHandlers, "DELETED", &ready.Handlers[0])
	until(t, feed, func(s status.Snapshot) bool { return len(s.Handlers) == 0 })
}

// TestFollowBurst holds that a burst of events becomes a few snapshots, of which
// the last is true.
func TestFollowBurst(t *testing.T) {
	server := clitest.NewServer(t, statustest.Progressing())
	feed := feedOf(t, server)
	until(t, feed, func(status.Snapshot) bool { return true })
	watched(t, server, status.ResourcePods)
	const events = 1000
	go func() {
		for i := range events {
			pod := statustest.MakePod(statustest.OfHandler("users", v1.WorkloadMain), fmt.Sprint("burst-", i)).
				Waiting("ImagePullBackOff", "not found").Obj()
			server.Send(status.ResourcePods, "ADDED", &pod)
		}
	}()
	snapshots := 0
	until(t, feed, func(s status.Snapshot) bool {
		snapshots++
		p := s.Handlers[0].Problems
		return len(p) == 1 && len(p[0].Pods) == events
	})
	t.Logf("%d events became %d snapshots", events, snapshots)
	if snapshots > events/10 {
		t.Errorf("%d events became %d snapshots", events, snapshots)
	}
}

// TestFollowForbidden holds that the rest is followed when one list may not be
// read, and that it is named.
func TestFollowForbidden(t *testing.T) {
	server := clitest.NewServer(t, statustest.NoPermission())
	s := until(t, feedOf(t, server), func(status.Snapshot) bool { return true })
	if !healthIs(status.Healthy)(s) || len(s.Unread) != 2 {
		t.Errorf("got %+v", s)
	}
}

func TestFollowEnds(t *testing.T) {
	server := clitest.NewServer(t, statustest.Healthy())
	ctx, cancel := context.WithCancel(t.Context())
	ref := cluster.Ref{Kind: status.KindModule, Name: "db"}
	feed := cluster.Follow(ctx, connect(t, server.URL), statustest.Namespace, ref, func() time.Time { return statustest.Now })
	s := <-feed
	if len(s.Modules) != 1 || len(s.Handlers) != 0 {
		t.Errorf("got %+v", s)
	}
	cancel()
	for range feed { // the channel must be closed, or this never ends
	}
}
