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
}

func (r *recorder) Helper() {}

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
	r, done := &recorder{}, make(chan struct{})
	go func() {
		defer close(done)
		Within(r, limit, "end", check, notes...)
	}()
	<-done
	return r.failure
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
