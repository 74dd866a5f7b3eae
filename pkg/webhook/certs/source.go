package certs

import (
	"context"
	"crypto/tls"
	"errors"
)

// Source has the serving certificate and says what a caller must trust.
type Source interface {
	// Start keeps the certificate current until the context ends.
	Start(ctx context.Context) error
	// GetCertificate is for tls.Config. It fails with ErrNoCertificate while
	// there is none.
	GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error)
	// Desired is the bundle that ought to stand where live stands now. It is
	// empty while the source knows of no CA.
	Desired(live Bundle) Bundle
	// Published tells the source that the API server was told to trust the
	// bundle.
	Published(Bundle)
	// Changed receives a value after Desired changed.
	Changed() <-chan struct{}
}

// ErrNoCertificate says that there is no serving certificate yet.
var ErrNoCertificate = errors.New("there is no serving certificate yet")

// signal tells one listener that something changed. It never blocks: a listener
// that is behind looks once.
type signal chan struct{}

func newSignal() signal { return make(signal, 1) }

func (s signal) set() {
	select {
	case s <- struct{}{}:
	default:
	}
}
