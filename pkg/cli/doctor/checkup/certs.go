package checkup

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"slices"
	"time"

	"gati.dev/gati/pkg/remedy"
)

// clientConfig is how the API server reaches gati-webhook by one object.
type clientConfig struct {
	object string
	config ClientConfig
}

// listClientConfigs are those of all objects that could be read.
func listClientConfigs(f *Facts) []clientConfig {
	var all []clientConfig
	for _, name := range sortedNames(f.Hooks) {
		for i := range f.Hooks[name].Value.Webhooks {
			h := &f.Hooks[name].Value.Webhooks[i]
			all = append(all, clientConfig{name + " " + h.Name, h.ClientConfig})
		}
	}
	for _, name := range sortedNames(f.CRDs) {
		if crd := f.CRDs[name]; crd.Known() {
			b := clientConfig{object: "crd/" + name}
			if hook := crd.Value.Spec.Conversion.Webhook; hook != nil {
				b.config = hook.ClientConfig
			}
			all = append(all, b)
		}
	}
	return all
}

// shareCA reports whether two bundles have a CA in common. They need not be equal: an
// object that was there before keeps the CA of that time for a while.
func shareCA(a, b []*x509.Certificate) bool {
	return slices.ContainsFunc(a, func(c *x509.Certificate) bool { return slices.ContainsFunc(b, c.Equal) })
}

// bundleHint is for a CA that is not where the API server looks for it.
func bundleHint(f *Facts) string {
	return "gati-controller writes it within seconds while it runs; see its log: " + controllerLog(f)
}

// controllerLog shows or names the log of the controllers, which may run outside the cluster.
func controllerLog(f *Facts) string {
	if at := outsideAddress(f); at != "" && f.Controllers.Absent {
		return "the log of gati-webhook at " + at
	}
	return string(remedy.ShowControllerLog)
}

func checkCABundle(f *Facts) []Finding {
	all := listClientConfigs(f)
	if len(all) == 0 {
		return newUnknown("there is no webhook configuration or CRD to check", "")
	}
	var found []Finding
	var first clientConfig
	for _, b := range all {
		switch {
		case len(b.config.CABundle) == 0:
			found = append(found, newProblem(b.object, "has no caBundle, so the API server cannot verify gati-webhook", bundleHint(f)))
		case len(parseCertificates(b.config.CABundle)) == 0:
			found = append(found, newProblem(b.object, "has a caBundle that contains no certificate", bundleHint(f)))
		case first.config.CABundle == nil:
			first = b
		case !shareCA(parseCertificates(b.config.CABundle), parseCertificates(first.config.CABundle)):
			found = append(found, newProblem(b.object, "trusts another CA than "+first.object, bundleHint(f)))
		}
	}
	return found
}

func checkCertificates(f *Facts) []Finding {
	var found []Finding
	seen := map[string]bool{}
	judge := func(object string, text []byte) {
		certs := parseCertificates(text)
		if len(certs) == 0 || seen[string(text)] {
			return // without one, it is the bundle that is wrong
		}
		seen[string(text)] = true
		if message := expiryProblem(newestOf(certs), f.Now); message != "" {
			found = append(found, newProblem(object, message, "see why it was not replaced: "+controllerLog(f)+", or cert-manager's Certificate"))
		}
	}
	for _, b := range listClientConfigs(f) {
		judge(b.object, b.config.CABundle)
	}
	for _, name := range sortedNames(f.Secrets) {
		if s := f.Secrets[name]; s.Known() {
			judge("secret/"+name, s.Value)
		}
	}
	if len(seen) == 0 {
		return newUnknown("no certificate could be read", "")
	}
	return found
}

// expiryProblem returns the problem of a certificate's validity. A certificate is replaced
// with a third of its life left; with less than a sixth left, the replacement has failed.
func expiryProblem(c *x509.Certificate, now time.Time) string {
	life, left := c.NotAfter.Sub(c.NotBefore), c.NotAfter.Sub(now)
	day := c.NotAfter.UTC().Format(time.DateTime)
	switch {
	case left <= 0:
		return fmt.Sprintf("the certificate of %s has expired at %s UTC", c.Subject.CommonName, day)
	case left < life/6:
		return fmt.Sprintf("the certificate of %s expires at %s UTC and has not been replaced", c.Subject.CommonName, day)
	default:
		return ""
	}
}

func newestOf(certs []*x509.Certificate) *x509.Certificate {
	last := certs[0]
	for _, c := range certs[1:] {
		if c.NotAfter.After(last.NotAfter) {
			last = c
		}
	}
	return last
}

func parseCertificates(text []byte) []*x509.Certificate {
	var certs []*x509.Certificate
	for {
		block, rest := pem.Decode(text)
		if block == nil {
			return certs
		}
		if c, err := x509.ParseCertificate(block.Bytes); err == nil {
			certs = append(certs, c)
		}
		text = rest
	}
}
