package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"net"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// newKey uses P-256. The API server verifies two signatures for each new connection
// to a webhook, and P-384 takes thirty times as long: most of its CPU time while a
// CA was replaced under load.
func newKey() (*ecdsa.PrivateKey, error) {
	return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
}

// createCA returns a new CA as the data of a Secret.
func createCA(now time.Time, lifetime time.Duration) (map[string][]byte, error) {
	key, err := newKey()
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	template := &x509.Certificate{
		// A verifier tries all CAs with the issuer's name, so each CA has its own.
		Subject:   pkix.Name{CommonName: commonName, SerialNumber: rand.Text()},
		NotBefore: now, NotAfter: now.Add(lifetime),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("sign the CA: %w", err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode the key: %w", err)
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: pemCertificate, Bytes: der})
	return map[string][]byte{
		corev1.TLSCertKey:       certificate,
		corev1.TLSPrivateKeyKey: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
		keyCA:                   certificate,
	}, nil
}

// signLeaf signs a serving certificate that does not outlive the CA.
func (c ca) signLeaf(now time.Time, lifetime time.Duration, names []string, ips []net.IP) (*tls.Certificate, error) {
	key, err := newKey()
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	until := now.Add(lifetime)
	if until.After(c.certificate.NotAfter) {
		until = c.certificate.NotAfter
	}
	template := &x509.Certificate{
		DNSNames: names, IPAddresses: ips, NotBefore: now, NotAfter: until,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, c.certificate, key.Public(), c.key)
	if err != nil {
		return nil, fmt.Errorf("sign a serving certificate: %w", err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("read the serving certificate: %w", err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: parsed}, nil
}
