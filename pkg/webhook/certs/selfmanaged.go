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
	retry      = 250 * time.Millisecond
	secretPoll = 10 * time.Second
)

// SelfManagedOptions say where the CA is kept and what the leaf is for.
type SelfManagedOptions struct {
	// Client reads, writes and watches the Secret, without a cache.
	Client client.WithWatch
	Log    logr.Logger

	// Namespace and Secret name the Secret that holds the CA. All replicas share
	// it, and whoever comes first creates it.
	Namespace, Secret string
	DNSNames          []string
	IPs               []net.IP

	// CALifetime and LeafLifetime are 365 and 7 days if zero. Both are replaced
	// with a third of their life left.
	CALifetime, LeafLifetime time.Duration
	// Hold is how long a new leaf waits before it is served. Zero is a minute.
	Hold time.Duration
	// Trusted says that nobody will call Published: what signs is trusted by
	// other means.
	Trusted bool
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
	leaf      *leaf
	changed   signal

	mu        sync.Mutex
	signer    ca
	known     Bundle // the CA that signs first, then those before it
	published Bundle
	newest    *tls.Certificate
	newestOf  *x509.Certificate // the CA that signed it
}

var _ Source = (*SelfManaged)(nil)

// NewSelfManaged returns a source that has no certificate until it is started.
func NewSelfManaged(o SelfManagedOptions) *SelfManaged {
	o.setDefaults()
	key := client.ObjectKey{Namespace: o.Namespace, Name: o.Secret}
	return &SelfManaged{
		options:   o,
		authority: &authority{client: o.Client, key: key, lifetime: o.CALifetime, log: o.Log},
		leaf:      &leaf{hold: o.Hold, now: time.Now},
		changed:   newSignal(),
	}
}

// Start follows the CA and renews the leaf until the context ends.
func (s *SelfManaged) Start(ctx context.Context) error {
	written := newSignal()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { s.authority.watch(ctx, written); return nil })
	group.Go(func() error { s.followCA(ctx, written); return nil })
	group.Go(func() error { s.followLeaf(ctx); return nil })
	return group.Wait()
}

// followCA keeps known what the Secret holds: it looks when that was written, and
// every few seconds.
func (s *SelfManaged) followCA(ctx context.Context, written <-chan struct{}) {
	said := ""
	for {
		wait := secretPoll
		current, err := s.authority.current(ctx, time.Now())
		if err == nil {
			s.setCA(current)
			said = ""
		} else {
			wait = retry
			// What lasts is told once, not four times a second.
			if text := err.Error(); text != said && ctx.Err() == nil && !errors.Is(err, errBeaten) {
				s.options.Log.Error(err, "no CA to sign with; what is served stays")
				said = text
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

// setCA has this CA sign, once it is published.
func (s *SelfManaged) setCA(current ca) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.signer = current
	if len(s.known) > 0 && s.known[0].Equal(current.certificate) {
		return
	}
	s.known = Bundle{current.certificate}.with(s.known, s.overlaps(current.certificate))
	s.options.Log.Info("the CA changed", "serial", current.certificate.SerialNumber.Text(16), "notAfter", current.certificate.NotAfter.Format(time.RFC3339))
	if s.options.Trusted {
		s.published = s.known
	}
	s.changed.set()
}

// overlaps tells which CAs stay beside the current one. A leaf is held back before
// it is served, and its predecessor is served meanwhile.
func (s *SelfManaged) overlaps(current *x509.Certificate) func(*x509.Certificate) bool {
	return overlaps(current, time.Now(), s.options.LeafLifetime+s.options.Hold)
}

// followLeaf brings into service what was signed.
func (s *SelfManaged) followLeaf(ctx context.Context) {
	for {
		newest, err := s.sign(time.Now())
		if err != nil {
			s.options.Log.Error(err, "no new certificate; what is served stays")
		}
		if s.leaf.offer(newest) {
			s.options.Log.Info("serving a new certificate", "notAfter", newest.Leaf.NotAfter.Format(time.RFC3339))
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(retry):
		}
	}
}

// sign returns the newest leaf, a new one if that is old or of a CA that signs no
// more. It signs with no CA that is not published: until the API server is told of
// it, every call would fail.
func (s *SelfManaged) sign(now time.Time) (*tls.Certificate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	signer := s.signer.certificate
	if signer == nil || !s.published.Contains(signer) {
		return s.newest, nil
	}
	if s.newest != nil && s.newestOf.Equal(signer) && !aged(s.newest.Leaf, now) {
		return s.newest, nil
	}
	fresh, err := s.signer.leaf(now, s.options.LeafLifetime, s.options.DNSNames, s.options.IPs)
	if err != nil {
		return s.newest, err
	}
	s.newest, s.newestOf = fresh, signer
	return fresh, nil
}

// GetCertificate implements Source.
func (s *SelfManaged) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return s.leaf.get()
}

// Desired is the current CA, those that it replaced of late, and those that
// another replica published which has seen more of them.
func (s *SelfManaged) Desired(live Bundle) Bundle {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) == 0 {
		return nil
	}
	current := s.known[0]
	keep := s.overlaps(current)
	desired := Bundle{current}.with(s.known[1:], keep).with(live, keep)
	// All replicas have to write the same bytes, or they undo one another.
	slices.SortFunc(desired[1:], newestFirst)
	return desired
}

func newestFirst(a, b *x509.Certificate) int {
	return cmp.Or(b.NotBefore.Compare(a.NotBefore), bytes.Compare(a.Raw, b.Raw))
}

// Published lets leaves of these CAs be signed.
func (s *SelfManaged) Published(b Bundle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.published = b
}

// Changed implements Source.
func (s *SelfManaged) Changed() <-chan struct{} { return s.changed }
