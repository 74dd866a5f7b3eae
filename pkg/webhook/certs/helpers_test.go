package certs

import (
	"crypto"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"testing"
	"time"
)

func newCA(t *testing.T, name string, from time.Time) ca {
	t.Helper()
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, NotBefore: from, NotAfter: from.Add(365 * 24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	key, err := newKey()
	if err != nil {
		t.Fatal(err)
	}
	return ca{certificate: sign(t, template, template, key.Public(), key), key: key}
}

// leafOf is a certificate that a CA has signed, as a server holds it.
func leafOf(t *testing.T, c ca, from time.Time, valid time.Duration) *tls.Certificate {
	t.Helper()
	signed, err := c.signLeaf(from, valid, []string{"x"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return signed
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

func bundleOf(all []ca) Bundle {
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
