package certs

import (
	"context"
	"time"
)

const (
	// recheckInterval bounds how long a caBundle changed by another manager stays. Calls
	// fail meanwhile, and the hooks that notice are another process.
	recheckInterval = 3 * time.Second
	// minRetryInterval is the wait after the first failure; it doubles up to
	// recheckInterval.
	minRetryInterval = 500 * time.Millisecond
)

// recheck calls check until the context ends: at once when the source changes or wake is
// called, else often while check fails and every recheckInterval when it does not. The
// number is that of failures in a row so far.
func recheck(ctx context.Context, source Source, wake notification, check func(failures int) (complete bool)) {
	failures := 0
	for {
		wait := recheckInterval
		if check(failures) {
			failures = 0
		} else {
			wait = min(recheckInterval, minRetryInterval<<min(failures, 10))
			failures++
		}
		select {
		case <-ctx.Done():
			return
		case <-source.Changed():
			failures = 0
		case <-wake:
		case <-time.After(wait):
		}
	}
}
