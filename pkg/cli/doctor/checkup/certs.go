package checkup

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"slices"
	"time"
)

// bundle is the CA that one object gives to the API server.
type bundle struct {
	object string
	pem    []byte
}

// listBundles are those of all objects that could be read.
func listBundles(f *Facts) []bundle {
	var all []bundle
	for _, name := range sortedNames(f.Hooks) {
		for i := range f.Hooks[name].Value.Webhooks {
			h := &f.Hooks[name].Value.Webhooks[i]
			all = append(all, bundle{name + " " + h.Name, h.ClientConfig.CABundle})
		}
	}
	for _, name := range sortedNames(f.CRDs) {
		if crd := f.CRDs[name]; crd.Known() {
			b := bundle{object: "crd/" + name}
			if hook := crd.Value.Spec.Conversion.Webhook; hook != nil {
				b.pem = hook.ClientConfig.CABundle
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

const bundleHint = "gati-controller writes it within seconds while it runs; see its log: kubectl logs -n gati-system deploy/gati-controller"

func checkCABundle(f *Facts) []Finding {
	all := listBundles(f)
	if len(all) == 0 {
		return newUnknown("there is no webhook configuration or CRD to check", "")
	}
	var found []Finding
	var first bundle
	for _, b := range all {
		switch {
		case len(b.pem) == 0:
			found = append(found, newProblem(b.object, "has no caBundle, so the API server cannot verify gati-webhook", bundleHint))
		case len(parseCertificates(b.pem)) == 0:
			found = append(found, newProblem(b.object, "has a caBundle that contains no certificate", bundleHint))
		case first.pem == nil:
			first = b
		case !shareCA(parseCertificates(b.pem), parseCertificates(first.pem)):
			found = append(found, newProblem(b.object, "trusts another CA than "+first.object, bundleHint))
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
			found = append(found, newProblem(object, message, "see why it was not replaced: kubectl logs -n gati-system deploy/gati-controller, or cert-manager's Certificate"))
		}
	}
	for _, b := range listBundles(f) {
		judge(b.object, b.pem)
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
