package certs

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"testing"
	"time"
)

// testCA is a CA for tests.
type testCA struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

func newCA(t *testing.T, name string, from time.Time) testCA {
	t.Helper()
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, NotBefore: from, NotAfter: from.Add(365 * 24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	key := newKey(t)
	return testCA{certificate: sign(t, template, template, key.Public(), key), key: key}
}

// leaf signs a certificate and returns it as a server holds it.
func (ca testCA) leaf(t *testing.T, from time.Time, valid time.Duration) *tls.Certificate {
	t.Helper()
	key := newKey(t)
	template := &x509.Certificate{NotBefore: from, NotAfter: from.Add(valid), DNSNames: []string{"x"}}
	certificate := sign(t, template, ca.certificate, key.Public(), ca.key)
	return &tls.Certificate{Certificate: [][]byte{certificate.Raw}, PrivateKey: key, Leaf: certificate}
}

func newKey(t *testing.T) crypto.Signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func sign(t *testing.T, template, parent *x509.Certificate, public crypto.PublicKey, key crypto.Signer) *x509.Certificate {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}

// pemFiles returns a certificate as PEM.
func pemFiles(t *testing.T, c *tls.Certificate) (certificate, key []byte) {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return Bundle{c.Leaf}.PEM(), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

func bundleOf(all []testCA) Bundle {
	var bundle Bundle
	for _, ca := range all {
		bundle = append(bundle, ca.certificate)
	}
	return bundle
}

func equalCertificates(a, b *x509.Certificate) bool { return a.Equal(b) }

// dates name the certificates of a bundle.
func dates(b Bundle) string {
	out := ""
	for _, certificate := range b {
		out += certificate.Subject.CommonName + "@" + certificate.NotBefore.Format(time.DateOnly) + " "
	}
	return out
}
