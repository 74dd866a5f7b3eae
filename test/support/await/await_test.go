package await

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"
)

// recorder is a test that keeps its failure.
type recorder struct {
	testing.TB
	failure string
	cleanup []func()
}

func (r *recorder) Helper() {}

func (r *recorder) Cleanup(f func()) { r.cleanup = append(r.cleanup, f) }

func (r *recorder) Fatalf(format string, args ...any) {
	r.failure = format
	for _, arg := range args {
		if text, ok := arg.(string); ok {
			r.failure += text
		}
	}
	runtime.Goexit()
}

func waitFor(limit time.Duration, check func() error, notes ...func() string) string {
	r := &recorder{}
	r.waitFor(limit, check, notes...)
	return r.failure
}

// waitFor reports whether the wait ended, well or not, before a minute had passed.
func (r *recorder) waitFor(limit time.Duration, check func() error, notes ...func() string) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		Within(r, limit, "end", check, notes...)
	}()
	select {
	case <-done:
		return true
	case <-time.After(time.Minute):
		return false
	}
}

// TestAnEmptyTextIsNoSuccess holds that only the lack of an error ends a wait well.
func TestAnEmptyTextIsNoSuccess(t *testing.T) {
	if waitFor(time.Millisecond, func() error { return errors.New("") }) == "" {
		t.Error("an error without a text ended the wait well")
	}
	if got := waitFor(time.Millisecond, func() error { return errors.New("not yet") }, func() string { return "a note" }); !strings.Contains(got, "not yet\na note") {
		t.Errorf("the failure is %q", got)
	}
}

func TestAWaitEndsWithTheFirstSuccess(t *testing.T) {
	looks := 0
	got := waitFor(time.Minute, func() error {
		if looks++; looks < 3 {
			return errors.New("not yet")
		}
		return nil
	})
	if got != "" || looks != 3 {
		t.Errorf("%d looks: %s", looks, got)
	}
}

// TestALookThatHangsEndsTheWait holds that a wait has an end although its look has none,
// and that the test lives until the look comes back.
func TestALookThatHangsEndsTheWait(t *testing.T) {
	was := overdue
	overdue = 100 * time.Millisecond
	defer func() { overdue = was }()
	r, release, returned := &recorder{}, make(chan struct{}), false
	ended := r.waitFor(time.Millisecond, func() error {
		<-release
		returned = true
		return nil
	})
	if !ended || !strings.Contains(r.failure, "a look has not come back") || len(r.cleanup) != 1 {
		t.Fatalf("ended: %t with %q and %d cleanups", ended, r.failure, len(r.cleanup))
	}
	overdue = time.Minute
	close(release) // as the end of the test's context does
	if r.cleanup[0](); !returned {
		t.Error("the test ended before its look came back")
	}
}

// TestALookMayEndTheTest holds that a look that calls FailNow ends the wait as well.
func TestALookMayEndTheTest(t *testing.T) {
	r := &recorder{}
	if !r.waitFor(time.Minute, func() error {
		r.Fatalf("refused")
		return nil
	}) || r.failure != "refused" {
		t.Errorf("the failure is %q", r.failure)
	}
}
