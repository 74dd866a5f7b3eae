//go:build unix

package cluster

import (
	"context"
	"io"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/status"
	"gati.dev/gati/pkg/tui"
)

// TestBurstIsDrawn brings 5,000 events to a live view at once, as a watch has
// decoded them. It holds that few views are drawn of them and that the last shows
// what the last event said, and prints what that costs.
func TestBurstIsDrawn(t *testing.T) {
	const events = 5000
	scope := Scope{Namespace: statustest.Namespace, Refs: []Ref{{status.KindHandler, "users"}}}
	sources, err := scope.sourcesOf()
	if err != nil {
		t.Fatal(err)
	}
	f := &feed{store: newStore(scope, sources), patience: time.Minute, live: true}
	objs := statustest.Progressing()
	pods := 0
	for id, s := range sources {
		items := map[client.ObjectKey]client.Object{}
		switch s.resource {
		case status.ResourceHandlers:
			items[client.ObjectKeyFromObject(&objs.Handlers[0])] = &objs.Handlers[0]
		case status.ResourcePods:
			pods = id
		}
		f.store.replaceAll(id, items)
	}
	burst := make(chan watch.Event, events)
	for n := range events {
		pod := statustest.MakePod(statustest.OfHandler("users", "main"), "a").Died("Error", 1, int32(n+1)).Obj()
		burst <- watch.Event{Type: watch.Modified, Object: &pod}
	}
	close(burst)

	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	snapshots := make(chan status.Snapshot)
	go func() { _ = f.sendSnapshots(ctx, snapshots, func() time.Time { return statustest.Now }) }()
	before := cpu(t)
	go func() { _ = f.applyEvents(pods, burst) }()
	end, err := tui.Run(ctx, tui.Options{
		Out: io.Discard, First: status.Build(objs, statustest.Now), Snapshots: snapshots, One: true,
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

// cpu is the time that this process has had on the CPU.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
