package integration

import (
	"errors"
	"testing"
	"time"
)

const (
	// patience is ten times what anything here takes on an idle machine.
	patience = 90 * time.Second
	// interval is how often a condition is looked at.
	interval = 150 * time.Millisecond
	// calm is for how long nothing may change to count as settled.
	calm = 800 * time.Millisecond
)

// eventually waits until a check finds nothing wrong. The failure tells what was
// waited for and what was wrong last.
func eventually(t *testing.T, what string, check func() error) {
	t.Helper()
	within(t, patience, what, check)
}

// within is eventually with another deadline.
func within(t *testing.T, limit time.Duration, what string, check func() error) {
	t.Helper()
	var last error
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(interval) {
		if last = check(); last == nil {
			return
		}
	}
	t.Fatalf("within %s there was no: %s\nlast seen: %v", limit, what, last)
}

// still waits until what a look returns has not changed for a while, and returns
// it.
func still[T comparable](t *testing.T, what string, look func() T) T {
	t.Helper()
	was, since := look(), time.Now()
	eventually(t, what+" at rest", func() error {
		if now := look(); now != was {
			was, since = now, time.Now()
		}
		if time.Since(since) < calm {
			return errors.New("it keeps changing")
		}
		return nil
	})
	return was
}
