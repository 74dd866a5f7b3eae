package integration

import (
	"errors"
	"testing"
	"time"

	"gati.dev/gati/test/support/await"
)

const (
	// calm is for how long nothing may change to count as settled.
	calm = 800 * time.Millisecond
)

// still waits until what a look returns has not changed for a while, and returns
// it.
func still[T comparable](t *testing.T, what string, look func() T) T {
	t.Helper()
	was, since := look(), time.Now()
	await.Eventually(t, what+" at rest", func() error {
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
