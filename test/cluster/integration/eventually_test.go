package integration

import (
	"errors"
	"testing"
	"time"

	"gati.dev/gati/test/support/await"
)

const (
	// calm is for how long nothing may change to count as settled: longer than a change of a
	// status may wait for others (3 seconds).
	calm = 3500 * time.Millisecond
)

// awaitStill waits until what a look returns has not changed for a while, and returns
// it.
func awaitStill[T comparable](t *testing.T, what string, look func() T) T {
	t.Helper()
	was, since := look(), time.Now()
	looked := since
	await.Eventually(t, what+" at rest", func() error {
		if time.Since(looked) < calm/2 {
			return errors.New("it was looked at a moment ago")
		}
		looked = time.Now()
		if now := look(); now != was {
			was, since = now, looked
		}
		if time.Since(since) < calm {
			return errors.New("it keeps changing")
		}
		return nil
	})
	return was
}
