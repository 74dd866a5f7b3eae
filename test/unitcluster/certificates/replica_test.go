package certificates_test

import (
	"io"
	"net"
	"testing"
	"time"

	"gati.dev/gati/pkg/webhook/certs"
)

// replica is the certificate half of one replica of the hooks.
type replica struct {
	source *certs.SelfManaged
}

// newReplica starts a source with what observes the API server's trust, and beside it
// what a replica of the controllers runs: the CA and its injector.
func newReplica(t *testing.T, c *cluster, name string, log io.Writer, with func(*certs.SelfManagedOptions)) *replica {
	t.Helper()
	logger := testLogger(t, name, log)
	options := certs.SelfManagedOptions{
		Client: c.client, Log: logger,
		Namespace: namespace, Secret: secretName,
		DNSNames: []string{"gati-webhook.gati-system.svc"},
		IPs:      []net.IP{net.IPv4(127, 0, 0, 1)},
		Hold:     2 * time.Second,
	}
	if with != nil {
		with(&options)
	}
	serves, makes := options, options
	serves.ReadOnly, makes.Unserved = true, true
	source, authority := certs.NewSelfManaged(serves), certs.NewSelfManaged(makes)
	runInBackground(t, name+" source", source.Start)
	runInBackground(t, name+" authority", authority.Start)
	if !options.Trusted {
		runInBackground(t, name+" observer", certs.NewObserver(c.newLive(), source, logger).Start)
		runInBackground(t, name+" injector", certs.NewInjector(c.client, c.newLive(), authority, logger).Start)
	}
	return &replica{source: source}
}

func (r *replica) hasLeaf() error {
	_, err := r.source.GetCertificate(nil)
	return err
}
