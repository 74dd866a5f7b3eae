package certs

import (
	"context"
	"crypto/tls"
	"errors"
	"time"
)

// Source provides the serving certificate and the CAs that callers must trust.
type Source interface {
	// Start keeps the certificate current until the context ends.
	Start(ctx context.Context) error
	// GetCertificate is for tls.Config. It fails with ErrNoCertificate while there
	// is none.
	GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error)
	// Desired returns the bundle that should replace the live one. It is empty
	// while the source has no CA.
	Desired(live Bundle) Bundle
	// Published is called after the bundle was written to all targets.
	Published(Bundle)
	// Changed receives a value after Desired changed.
	Changed() <-chan struct{}
}

// ErrNoCertificate is returned while there is no serving certificate yet.
var ErrNoCertificate = errors.New("there is no serving certificate yet")

// notification wakes one listener. It never blocks: several notifications before
// the listener looks count as one.
type notification chan struct{}

func newNotification() notification { return make(notification, 1) }

func (s notification) notify() {
	select {
	case s <- struct{}{}:
	default:
	}
}

const (
	// recheckInterval bounds how long a caBundle changed by another manager stays. Calls
	// fail meanwhile, and the hooks that notice are another process.
	recheckInterval = 3 * time.Second
	// minRetryInterval is the wait after the first failure; it doubles up to
	// recheckInterval.
	minRetryInterval = 500 * time.Millisecond
)

// recheckUntilDone calls check until the context ends: at once when the source changes or wake is
// called, else often while check fails and every recheckInterval when it does not. The
// number is that of failures in a row so far.
func recheckUntilDone(ctx context.Context, source Source, wake notification, check func(failures int) (complete bool)) {
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
