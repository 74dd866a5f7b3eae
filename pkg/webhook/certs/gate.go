package certs

import (
	"context"
	"crypto/x509"
	"net"
	"sync"

	servertls "github.com/cert-manager/cert-manager/pkg/server/tls"
	"github.com/cert-manager/cert-manager/pkg/server/tls/authority"
)

// gate stands before cert-manager's authority and lets no leaf through that
// was signed by a CA which is not published. The authority by itself signs with
// a new CA at once, and until the API server is told, every call would fail.
type gate struct {
	inner servertls.Authority
	// ips go into the leaves: the templates hold names only.
	ips []net.IP

	mu        sync.Mutex
	published Bundle
}

var _ servertls.Authority = (*gate)(nil)

func (g *gate) Run(ctx context.Context) error               { return g.inner.Run(ctx) }
func (g *gate) WatchRotation(output chan<- struct{})        { g.inner.WatchRotation(output) }
func (g *gate) StopWatchingRotation(output chan<- struct{}) { g.inner.StopWatchingRotation(output) }

// Sign signs, or says that there is no certificate yet, upon which the caller
// tries again soon.
func (g *gate) Sign(template *x509.Certificate) (*x509.Certificate, error) {
	template.IPAddresses = g.ips
	leaf, err := g.inner.Sign(template)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.published.Signed(leaf) {
		return nil, authority.ErrCertificateNotAvailable
	}
	return leaf, nil
}

// open lets leaves of these CAs through.
func (g *gate) open(published Bundle) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.published = published
}
