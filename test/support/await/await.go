// Package await waits in tests. A wait ends with a check that returns no error, never
// with an empty text. It must not know what is waited for.
package await

import (
	"testing"
	"time"
)

const (
	// Patience bounds waits on a machine that is busy: no test is about speed.
	Patience = 4 * time.Minute
	// soon is the time between the first looks, seldom that between later ones: many
	// tests wait at once, and each look costs the API server work.
	soon, seldom = 50 * time.Millisecond, 500 * time.Millisecond
)

// Eventually waits until a check finds nothing wrong. The failure has what was waited
// for, what was wrong last, and the notes.
func Eventually(t testing.TB, what string, check func() error, notes ...func() string) {
	t.Helper()
	Within(t, Patience, what, check, notes...)
}

// Within is Eventually with another deadline.
func Within(t testing.TB, limit time.Duration, what string, check func() error, notes ...func() string) {
	t.Helper()
	last := Try(limit, check)
	if last == nil {
		return
	}
	text := last.Error()
	for _, note := range notes {
		text += "\n" + note()
	}
	t.Fatalf("within %s there was no: %s\nlast seen: %s", limit, what, text)
}

// Try returns nil as soon as a check does, and else the last error.
func Try(limit time.Duration, check func() error) error {
	began := time.Now()
	last := check()
	for ; last != nil && time.Since(began) < limit; last = check() {
		time.Sleep(min(seldom, soon+time.Since(began)/10))
	}
	return last
}
