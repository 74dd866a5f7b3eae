package certs

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	servertls "github.com/cert-manager/cert-manager/pkg/server/tls"
	"github.com/cert-manager/cert-manager/pkg/server/tls/authority"
	"github.com/go-logr/logr"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
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
	Config *rest.Config
	Reader client.Reader
	Log    logr.Logger

	// Namespace and Secret name the Secret that holds the CA. All replicas share
	// it, and whoever comes first creates it.
	Namespace, Secret string
	DNSNames          []string
	IPs               []net.IP

	// CALifetime and LeafLifetime are 365 and 7 days if zero. A CA is replaced
	// with a third of its life left.
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
	options SelfManagedOptions
	gate    *gate
	source  *servertls.DynamicSource
	leaf    *leaf
	changed signal

	mu    sync.Mutex
	known Bundle // the CA that signs first, then those before it
}

var _ Source = (*SelfManaged)(nil)

// NewSelfManaged returns a source that has no certificate until it is started.
func NewSelfManaged(o SelfManagedOptions) *SelfManaged {
	o.setDefaults()
	g := &gate{ips: o.IPs, inner: &authority.DynamicAuthority{
		SecretNamespace: o.Namespace,
		SecretName:      o.Secret,
		SecretLabels:    map[string]string{"app.kubernetes.io/part-of": "gati"},
		RESTConfig:      o.Config,
		CommonName:      commonName,
		CADuration:      o.CALifetime,
		LeafDuration:    o.LeafLifetime,
	}}
	return &SelfManaged{
		options: o,
		gate:    g,
		source:  &servertls.DynamicSource{DNSNames: o.DNSNames, Authority: g, RetryInterval: retry},
		leaf:    &leaf{hold: o.Hold, now: time.Now},
		changed: newSignal(),
	}
}

// Start runs the authority and renews the leaf until the context ends.
func (s *SelfManaged) Start(ctx context.Context) error {
	rotated := make(chan struct{}, 1)
	s.gate.WatchRotation(rotated)
	defer s.gate.StopWatchingRotation(rotated)

	group, ctx := errgroup.WithContext(ctx)
	// cert-manager's packages tell every attempt; ours says what came of it.
	group.Go(func() error { return s.source.Start(logr.NewContext(ctx, s.options.Log.V(1))) })
	group.Go(func() error { s.followCA(ctx, rotated); return nil })
	group.Go(func() error { s.followLeaf(ctx); return nil })
	return group.Wait()
}

// followCA keeps known what the Secret holds.
func (s *SelfManaged) followCA(ctx context.Context, rotated <-chan struct{}) {
	for {
		wait := secretPoll
		if err := s.readCA(ctx); err != nil {
			if ctx.Err() == nil {
				s.options.Log.V(1).Info("the CA cannot be read yet", "error", err.Error())
			}
			wait = retry
		}
		select {
		case <-ctx.Done():
			return
		case <-rotated:
		case <-time.After(wait):
		}
	}
}

func (s *SelfManaged) readCA(ctx context.Context) error {
	var secret corev1.Secret
	key := client.ObjectKey{Namespace: s.options.Namespace, Name: s.options.Secret}
	if err := s.options.Reader.Get(ctx, key, &secret); err != nil {
		return fmt.Errorf("read the CA: %w", err)
	}
	ca, err := usableCA(&secret, time.Now())
	if err != nil {
		return fmt.Errorf("the CA in Secret %s is of no use and will be replaced: %w", key, err)
	}
	s.setCA(ca)
	return nil
}

func (s *SelfManaged) setCA(ca *x509.Certificate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) > 0 && s.known[0].Equal(ca) {
		return
	}
	s.known = Bundle{ca}.with(s.known, s.overlaps(ca))
	s.options.Log.Info("the CA changed", "serial", ca.SerialNumber.Text(16), "notAfter", ca.NotAfter.Format(time.RFC3339))
	if s.options.Trusted {
		s.gate.open(s.known)
	}
	s.changed.set()
}

// overlaps tells which CAs stay beside the current one. A leaf is held back before
// it is served, and its predecessor is served meanwhile.
func (s *SelfManaged) overlaps(current *x509.Certificate) func(*x509.Certificate) bool {
	return overlaps(current, time.Now(), s.options.LeafLifetime+s.options.Hold)
}

// followLeaf brings into service what cert-manager's source has signed.
func (s *SelfManaged) followLeaf(ctx context.Context) {
	for {
		newest, err := s.source.GetCertificate(nil)
		if err == nil && s.leaf.offer(newest) {
			s.options.Log.Info("serving a new certificate", "notAfter", newest.Leaf.NotAfter.Format(time.RFC3339))
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(retry):
		}
	}
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

// Published lets leaves of these CAs into service.
func (s *SelfManaged) Published(b Bundle) { s.gate.open(b) }

// Changed implements Source.
func (s *SelfManaged) Changed() <-chan struct{} { return s.changed }
