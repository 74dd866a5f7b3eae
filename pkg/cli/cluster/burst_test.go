//go:build unix

package cluster_test

import (
	"context"
	"io"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/status"
	"gati.dev/gati/pkg/tui"
)

// TestBurstIsDrawn brings 5,000 events to a live view at once, as a watch has
// decoded them. It holds that few views are drawn of them and that the last shows
// what the last event said, and prints what that costs.
func TestBurstIsDrawn(t *testing.T) {
	const events = 5000
	objs := statustest.Progressing()
	burst := make(chan watch.Event, events)
	for n := range events {
		pod := statustest.MakePod(statustest.OfHandler("users", "main"), "a").Died("Error", 1, int32(n+1)).Obj()
		burst <- watch.Event{Type: watch.Modified, Object: &pod}
	}
	scope := cluster.Scope{Namespace: statustest.Namespace, Refs: []cluster.Ref{{Kind: status.KindHandler, Name: "users"}}}

	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	before := cpu(t)
	feed, err := cluster.Live(ctx, clientOf(&objs.Handlers[0], burst), scope, time.Minute, func() time.Time { return statustest.Now })
	if err != nil {
		t.Fatal(err)
	}
	end, err := tui.Run(ctx, tui.Options{
		Out: io.Discard, First: status.Build(objs, statustest.Now), Snapshots: feed.Snapshots, One: true,
		Done: func(s *status.Snapshot) bool {
			p := s.Handlers[0].Problems
			return len(p) == 1 && p[0].Restarts == events
		},
	})
	if err != nil || !end.Reached {
		t.Fatalf("the last event is not shown: %v, %+v", err, end.Last.Handlers)
	}
	t.Logf("%d events: %d views, %s of CPU (bar 100ms)", events, end.Views, (cpu(t) - before).Round(time.Millisecond))
	if end.Views > events/10 {
		t.Errorf("%d views of %d events", end.Views, events)
	}
}

// clientOf returns a client of a cluster that has one handler, and whose first watch of
// pods has the events.
func clientOf(h *v1.GatiHandler, pods chan watch.Event) client.WithWatch {
	var watched atomic.Bool
	return interceptor.NewClient(nil, interceptor.Funcs{
		List: func(_ context.Context, _ client.WithWatch, list client.ObjectList, _ ...client.ListOption) error {
			list.SetResourceVersion("1")
			if l, is := list.(*v1.GatiHandlerList); is {
				l.Items = append(l.Items, *h)
			}
			return nil
		},
		Watch: func(_ context.Context, _ client.WithWatch, list client.ObjectList, _ ...client.ListOption) (watch.Interface, error) {
			if _, is := list.(*corev1.PodList); is && watched.CompareAndSwap(false, true) {
				return watch.NewProxyWatcher(pods), nil
			}
			return watch.NewFake(), nil
		},
	})
}

// cpu is the time that this process has had on the CPU.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
