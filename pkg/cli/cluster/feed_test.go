package cluster_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/status"
)

// feedOf follows the handler users of a server.
func feedOf(t *testing.T, server *clitest.Server) <-chan status.Snapshot {
	t.Helper()
	return follow(t.Context(), t, server, cluster.Ref{Kind: status.KindHandler, Name: "users"}).Snapshots
}

func follow(ctx context.Context, t *testing.T, server *clitest.Server, refs ...cluster.Ref) *cluster.Feed {
	t.Helper()
	scope := cluster.Scope{Namespace: statustest.Namespace, Refs: refs}
	feed, err := cluster.Follow(ctx, connect(t, server.URL), scope, time.Second, func() time.Time { return statustest.Now })
	if err != nil {
		t.Fatal(err)
	}
	return feed
}

// until reads snapshots until one is as wanted.
func until(t *testing.T, feed <-chan status.Snapshot, wanted func(status.Snapshot) bool) status.Snapshot {
	t.Helper()
	deadline := time.After(time.Minute)
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
	for range 6000 {
		if server.Watched(resource) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("no client watches %s", resource)
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
	feed := follow(ctx, t, server, cluster.Ref{Kind: status.KindModule, Name: "db"})
	s := <-feed.Snapshots
	if len(s.Modules) != 1 || len(s.Handlers) != 0 {
		t.Errorf("got %+v", s)
	}
	cancel()
	for range feed.Snapshots { // the channel must be closed, or this never ends
	}
	if err := feed.Err(); err != nil {
		t.Errorf("a feed that was told to end has failed: %v", err)
	}
}

// TestFollowSeveral holds that objects by name, and all of a namespace, come in one
// snapshot with what is theirs.
func TestFollowSeveral(t *testing.T) {
	server := clitest.NewServer(t, statustest.Healthy())
	scopes := map[string][]cluster.Ref{
		"named":     {{Kind: status.KindHandler, Name: "users"}, {Kind: status.KindModule, Name: "db"}},
		"namespace": nil,
	}
	for name, refs := range scopes {
		t.Run(name, func(t *testing.T) {
			s := until(t, follow(t.Context(), t, server, refs...).Snapshots, func(status.Snapshot) bool { return true })
			if len(s.Handlers) != 1 || len(s.Modules) != 1 || s.Handlers[0].Desired != 2 || s.Modules[0].Desired != 1 {
				t.Errorf("got %+v", s)
			}
		})
	}
}

// TestFollowLost holds that a feed ends, and says why, when its server has died.
func TestFollowLost(t *testing.T) {
	server := clitest.NewServer(t, statustest.Healthy())
	feed := follow(t.Context(), t, server, cluster.Ref{Kind: status.KindHandler, Name: "users"})
	until(t, feed.Snapshots, func(status.Snapshot) bool { return true })
	server.Die()
	for range feed.Snapshots { // it must be closed, or this never ends
	}
	if err := feed.Err(); err == nil || !strings.Contains(err.Error(), "cannot reach the server") {
		t.Errorf("got %v", err)
	}
}
