// Package await waits in tests. A wait ends with a check that returns no error, never
// with an empty text. It must not know what is waited for.
package await

import (
	"errors"
	"fmt"
	"runtime"
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

// overdue is how long after the deadline a look may still come back. One that hangs, on
// an answer that never comes, must not keep the test until its suite is killed.
var overdue = time.Minute

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
	if late, ok := errors.AsType[*overdueError](last); ok {
		t.Cleanup(late.awaitReturn)
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
	again := func() error { return runCheck(limit+overdue-time.Since(began), check) }
	last := again()
	for ; last != nil && time.Since(began) < limit; last = again() {
		time.Sleep(min(seldom, soon+time.Since(began)/10))
	}
	return last
}

// overdueError is a look that has not come back. When it does it must find its test
// alive, since it may end it.
type overdueError struct {
	limit    time.Duration
	returned <-chan struct{}
}

func (e *overdueError) Error() string {
	return fmt.Sprintf("a look has not come back within %s", e.limit.Round(time.Millisecond))
}

// awaitReturn is called after the test's context has ended, with which most looks end.
func (e *overdueError) awaitReturn() {
	select {
	case <-e.returned:
	case <-time.After(overdue):
	}
}

// runCheck calls a check, which may end the test, and returns an error when it does not come
// back in time.
func runCheck(limit time.Duration, check func() error) error {
	var err error
	var ended bool
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		err = check()
		ended = true
	}()
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case <-returned:
		if !ended { // The check has called t.FailNow or t.SkipNow.
			runtime.Goexit()
		}
		return err
	case <-late.C:
		return &overdueError{limit, returned}
	}
}
