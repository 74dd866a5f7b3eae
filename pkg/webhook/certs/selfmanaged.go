package certs

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// commonName marks a CA as one of ours in a bundle.
const commonName = "gati-webhook-ca"

const (
	retryInterval      = 250 * time.Millisecond
	secretPollInterval = 10 * time.Second
)

// SelfManagedOptions configure where the CA is kept and which names the leaf has.
type SelfManagedOptions struct {
	// Client reads, writes and watches the Secret without a cache.
	Client client.WithWatch
	Log    logr.Logger

	// Namespace and Secret name the Secret that holds the CA. All replicas share
	// it; the first one that may creates it.
	Namespace, Secret string
	DNSNames          []string
	IPs               []net.IP

	// CALifetime and LeafLifetime are 365 and 7 days if zero. Both are renewed when
	// a third of their lifetime is left.
	CALifetime, LeafLifetime time.Duration
	// Hold is how long a new leaf waits before it is served; one minute if zero.
	Hold time.Duration
	// Trusted is set when the CA is trusted by other means, so that Published is
	// never called.
	Trusted bool
	// ReadOnly is set where another process writes the Secret.
	ReadOnly bool
	// Unserved is set where another process serves: no leaf is signed.
	Unserved bool
}

func (o *SelfManagedOptions) setDefaults() {
	if o.CALifetime == 0 {
		o.CALifetime = 365 * 24 * time.Hour
	}
	if o.LeafLifetime == 0 {
		o.LeafLifetime = 7 * 24 * time.Hour
	}
	if o.Hold == 0 {
		o.Hold = time.Minute
	}
}

// SelfManaged is a Source with a CA of its own.
type SelfManaged struct {
	options   SelfManagedOptions
	authority *authority
	leaf      *servedLeaf
	changed   notification

	mu           sync.Mutex
	signer       ca
	authorities  Bundle // the CA that signs first, then those before it
	published    Bundle
	newest       *tls.Certificate
	newestSigner *x509.Certificate // the CA that signed it
}

var _ Source = (*SelfManaged)(nil)

// NewSelfManaged returns a Source that has no certificate until it is started.
func NewSelfManaged(o SelfManagedOptions) *SelfManaged {
	o.setDefaults()
	key := client.ObjectKey{Namespace: o.Namespace, Name: o.Secret}
	return &SelfManaged{
		options:   o,
		authority: &authority{client: o.Client, key: key, lifetime: o.CALifetime, readOnly: o.ReadOnly, log: o.Log},
		leaf:      &servedLeaf{hold: o.Hold, now: time.Now},
		changed:   newNotification(),
	}
}

// Start follows the CA and renews the leaf until the context ends.
func (s *SelfManaged) Start(ctx context.Context) error {
	written := newNotification()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { s.authority.watchSecret(ctx, written); return nil })
	group.Go(func() error { s.followCA(ctx, written); return nil })
	if !s.options.Unserved {
		group.Go(func() error { s.followLeaf(ctx); return nil })
	}
	return group.Wait()
}

// followCA reads the Secret when it was written and at a fixed interval.
func (s *SelfManaged) followCA(ctx context.Context, written <-chan struct{}) {
	lastLogged := ""
	for {
		wait := secretPollInterval
		current, err := s.authority.ensureCA(ctx, time.Now())
		if err == nil {
			s.setCA(current)
			lastLogged = ""
		} else {
			wait = retryInterval
			// A lasting failure is logged once, not four times a second.
			if text := err.Error(); text != lastLogged && ctx.Err() == nil && !errors.Is(err, errOvertaken) {
				s.logMissingCA(err)
				lastLogged = text
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-written:
		case <-time.After(wait):
		}
	}
}

// logMissingCA distinguishes the first start of an installation from a fault.
func (s *SelfManaged) logMissingCA(err error) {
	if errors.Is(err, errNotMade) {
		s.options.Log.Info("no CA to sign with yet", "because", err.Error())
		return
	}
	s.options.Log.Error(err, "no CA to sign with; what is served stays")
}

// setCA makes the CA the one that signs as soon as it is published.
func (s *SelfManaged) setCA(current ca) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.signer = current
	if len(s.authorities) > 0 && s.authorities[0].Equal(current.certificate) {
		return
	}
	s.authorities = Bundle{current.certificate}.mergeBundle(s.authorities, s.overlapFilter(current.certificate))
	s.options.Log.Info("the CA changed", "serial", current.certificate.SerialNumber.Text(16), "notAfter", current.certificate.NotAfter.Format(time.RFC3339))
	if s.options.Trusted {
		s.published = s.authorities
	}
	s.changed.notify()
}

// overlapFilter adds the time that a new leaf is held back, in which its
// predecessor is still served.
func (s *SelfManaged) overlapFilter(current *x509.Certificate) func(*x509.Certificate) bool {
	return overlapFilter(current, time.Now(), s.options.LeafLifetime+s.options.Hold)
}

// followLeaf signs and serves leaves until the context ends.
func (s *SelfManaged) followLeaf(ctx context.Context) {
	for {
		newest, err := s.ensureLeaf(time.Now())
		if err != nil {
			s.options.Log.Error(err, "no new certificate; what is served stays")
		}
		if s.leaf.updateLeaf(newest) {
			s.options.Log.Info("serving a new certificate", "notAfter", newest.Leaf.NotAfter.Format(time.RFC3339))
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(retryInterval):
		}
	}
}

// ensureLeaf returns the newest leaf, and signs one if that is due for renewal or
// of a former CA. It never signs with an unpublished CA: until the API server
// trusts it, every call would fail.
func (s *SelfManaged) ensureLeaf(now time.Time) (*tls.Certificate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	signer := s.signer.certificate
	if signer == nil || !s.published.Contains(signer) {
		return s.newest, nil
	}
	if s.newest != nil && s.newestSigner.Equal(signer) && !needsRenewal(s.newest.Leaf, now) {
		return s.newest, nil
	}
	fresh, err := s.signer.signLeaf(now, s.options.LeafLifetime, s.options.DNSNames, s.options.IPs)
	if err != nil {
		return s.newest, err
	}
	s.newest, s.newestSigner = fresh, signer
	return fresh, nil
}

// GetCertificate implements Source.
func (s *SelfManaged) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return s.leaf.currentLeaf()
}

// Desired returns the current CA, those it replaced recently, and those that a
// replica with more knowledge published.
func (s *SelfManaged) Desired(live Bundle) Bundle {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.authorities) == 0 {
		return nil
	}
	current := s.authorities[0]
	keep := s.overlapFilter(current)
	desired := Bundle{current}.mergeBundle(s.authorities[1:], keep).mergeBundle(live, keep)
	// All replicas must write the same bytes, or they undo each other's writes.
	slices.SortFunc(desired[1:], newestFirst)
	return desired
}

func newestFirst(a, b *x509.Certificate) int {
	return cmp.Or(b.NotBefore.Compare(a.NotBefore), bytes.Compare(a.Raw, b.Raw))
}

// Published allows leaves of these CAs to be signed.
func (s *SelfManaged) Published(b Bundle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.published = b
}

// Changed implements Source.
func (s *SelfManaged) Changed() <-chan struct{} { return s.changed }
