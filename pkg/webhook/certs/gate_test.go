package certs

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/cert-manager/cert-manager/pkg/server/tls/authority"
)

// fakeAuthority signs with whatever CA it has at the moment.
type fakeAuthority struct {
	t  *testing.T
	ca testCA
}

func (f *fakeAuthority) Run(context.Context) error              { return nil }
func (f *fakeAuthority) WatchRotation(chan<- struct{})          {}
func (f *fakeAuthority) StopWatchingRotation(_ chan<- struct{}) {}
func (f *fakeAuthority) Sign(template *x509.Certificate) (*x509.Certificate, error) {
	return sign(f.t, template, f.ca.certificate, newKey(f.t).Public(), f.ca.key), nil
}

func TestGateLetsThroughWhatIsPublished(t *testing.T) {
	before, after := newCA(t, commonName, time.Now()), newCA(t, commonName, time.Now())
	tests := map[string]struct {
		published Bundle
		ok        bool
	}{
		"nothing is published":         {nil, false},
		"the CA before is":             {Bundle{before.certificate}, false},
		"the CA that signs is":         {Bundle{after.certificate}, true},
		"the CA that signs is besides": {Bundle{before.certificate, after.certificate}, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			ip := net.IPv4(127, 0, 0, 1)
			g := &gate{inner: &fakeAuthority{t, after}, ips: []net.IP{ip}}
			g.open(tc.published)
			leaf, err := g.Sign(&x509.Certificate{NotBefore: time.Now(), NotAfter: time.Now().Add(time.Hour)})
			if !tc.ok {
				if !errors.Is(err, authority.ErrCertificateNotAvailable) {
					t.Fatalf("got %v, want %v, upon which it is tried again", err, authority.ErrCertificateNotAvailable)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := leaf.VerifyHostname(ip.String()); err != nil {
				t.Error(err)
			}
		})
	}
}
