package local

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestAStartIsNotAwaitedForever holds that a process that runs and is never ready is an
// error, whatever the caller's context: its log is where the cause is.
func TestAStartIsNotAwaitedForever(t *testing.T) {
	w := &Webhook{dir: t.TempDir(), patience: 300 * time.Millisecond, ended: make(chan struct{})}
	result := make(chan error, 1)
	go func() { result <- w.AwaitReady(context.Background()) }()
	select {
	case err := <-result:
		if err == nil || !strings.Contains(err.Error(), "is not ready") || !strings.Contains(err.Error(), w.LogPath()) {
			t.Errorf("got %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the wait has no end")
	}
}
