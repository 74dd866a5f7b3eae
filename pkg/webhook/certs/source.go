package certs

import (
	"context"
	"crypto/tls"
	"errors"
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
