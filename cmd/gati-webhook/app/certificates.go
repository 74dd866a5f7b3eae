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

// certificates are the parts that let the API server call the hooks.
type certificates struct {
	source certs.Source
	live   *certs.Live
	// injector is nil if the CA is injected by other means.
	injector *certs.Injector // nil if others inject
}

// newCertificates uses an uncached client: the cache is filled only after the
// certificates exist.
func newCertificates(c *config, direct client.WithWatch, log logr.Logger) (*certificates, error) {
	source, err := newSource(c, direct, log)
	if err != nil {
		return nil, err
	}
	live := certs.NewLive(direct, certs.Targets(webhookConfigurations,
		"gatihandlers."+v1.Group, "gatimodules."+v1.Group, "gativersions."+v1.Group))
	parts := &certificates{source: source, live: live}
	if c.InjectCA {
		parts.injector = certs.NewInjector(direct, live, source, log)
	}
	return parts, nil
}

func newSource(c *config, direct client.WithWatch, log logr.Logger) (certs.Source, error) {
	if c.CertMode == certModeFiles {
		return certs.NewFiles(c.CertDir, log)
	}
	names, ips := splitNames(c.DNSNames)
	return certs.NewSelfManaged(certs.SelfManagedOptions{
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
	}), nil
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
	if p.injector == nil {
		return []manager.Runnable{p.source}
	}
	return []manager.Runnable{p.source, p.injector}
}

// republishCA is called when a call shows that the API server does not trust us.
func (p *certificates) republishCA() {
	if p.injector != nil {
		p.injector.Wake()
	}
}
