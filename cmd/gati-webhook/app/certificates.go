package app

import (
	"net"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/webhook/certs"
)

// webhookConfigurations is the name of both webhook configurations in
// manifests/webhook.
const webhookConfigurations = "gati-webhook"

// certificates are the parts that let the API server call the hooks: they serve
// certificates of the CA that the controllers' account has published.
type certificates struct {
	source certs.Source
	live   *certs.Live
	// observer is nil if the source does not wait for the CA to be published.
	observer *certs.Observer
}

// newCertificates uses an uncached client: the cache is filled only after the
// certificates exist.
func newCertificates(c *config, direct client.WithWatch, log logr.Logger) (*certificates, error) {
	source, err := newSource(c, direct, log, func(o *certs.SelfManagedOptions) { o.ReadOnly = true })
	if err != nil {
		return nil, err
	}
	parts := &certificates{source: source, live: newLive(direct)}
	if c.InjectCA && c.CertMode == certModeSelf {
		parts.observer = certs.NewObserver(parts.live, source, log)
	}
	return parts, nil
}

// authority makes the CA and publishes it. Every replica of the controllers runs it,
// whether it leads or not.
type authority struct {
	// source has the certificate that metrics are served under.
	source    certs.Source
	runnables []manager.Runnable
}

func newAuthority(c *config, direct client.WithWatch, log logr.Logger) (*authority, error) {
	source, err := newSource(c, direct, log, func(o *certs.SelfManagedOptions) { o.Unserved = c.runsHooks() })
	if err != nil {
		return nil, err
	}
	parts := &authority{source: source, runnables: []manager.Runnable{source}}
	if c.InjectCA {
		parts.runnables = append(parts.runnables, certs.NewInjector(direct, newLive(direct), source, log))
	}
	return parts, nil
}

func newLive(direct client.Reader) *certs.Live {
	return certs.NewLive(direct, certs.Targets(webhookConfigurations,
		"gatihandlers."+v1.Group, "gatimodules."+v1.Group, "gativersions."+v1.Group))
}

func newSource(c *config, direct client.WithWatch, log logr.Logger, with func(*certs.SelfManagedOptions)) (certs.Source, error) {
	if c.CertMode == certModeFiles {
		return certs.NewFiles(c.CertDir, log)
	}
	names, ips := splitNames(c.DNSNames)
	options := certs.SelfManagedOptions{
		Client:       direct,
		Log:          log,
		Namespace:    c.Namespace,
		Secret:       c.CASecretName,
		DNSNames:     names,
		IPs:          ips,
		CALifetime:   c.CALifetime,
		LeafLifetime: c.LeafLifetime,
		Hold:         c.LeafHold,
		Trusted:      !c.InjectCA,
	}
	with(&options)
	return certs.NewSelfManaged(options), nil
}

// splitNames separates IP addresses from names, as a certificate does.
func splitNames(all []string) (names []string, ips []net.IP) {
	for _, name := range all {
		if ip := net.ParseIP(name); ip != nil {
			ips = append(ips, ip)
		} else {
			names = append(names, name)
		}
	}
	return names, ips
}

func (p *certificates) runnables() []manager.Runnable {
	if p.observer == nil {
		return []manager.Runnable{p.source}
	}
	return []manager.Runnable{p.source, p.observer}
}

// checkSoon is called when a call shows that the API server does not trust us.
func (p *certificates) checkSoon() {
	if p.observer != nil {
		p.observer.Wake()
	}
}
