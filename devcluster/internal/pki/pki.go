// Package pki makes the keys and certificates of a cluster, anew for every
// run. The keys are on the P-256 curve: made and used in microseconds, which
// RSA keys are not.
//
// It must not know which component uses which certificate; package control
// asks for what it needs.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// lifetime of every certificate. A devcluster is thrown away long before.
const lifetime = 10 * 365 * 24 * time.Hour

// backdate lets a clock that is set back a little not fail a new cluster.
const backdate = time.Hour

// Pair is a certificate with its key.
type Pair struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	// CertPEM and KeyPEM are the encoded forms.
	CertPEM, KeyPEM []byte
}

// Subject says whom a certificate names and what it is good for.
type Subject struct {
	// Name becomes the user name and Groups the groups of a Kubernetes client.
	Name   string
	Groups []string
	// Hosts makes it a server certificate for these names and addresses.
	Hosts []string
	// Client makes it a client certificate.
	Client bool
}

// NewCA makes a certificate authority.
func NewCA(name string) (*Pair, error) {
	template, err := newTemplate(Subject{Name: name})
	if err != nil {
		return nil, err
	}
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage |= x509.KeyUsageCertSign
	return signPair(template, nil)
}

// Issue makes a certificate that the authority vouches for.
func (ca *Pair) Issue(subject Subject) (*Pair, error) {
	template, err := newTemplate(subject)
	if err != nil {
		return nil, err
	}
	if subject.Client {
		template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageClientAuth)
	}
	if len(subject.Hosts) > 0 {
		template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
	}
	return signPair(template, ca)
}

func newTemplate(subject Subject) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, fmt.Errorf("make a serial number: %w", err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: subject.Name, Organization: subject.Groups},
		NotBefore:    now.Add(-backdate),
		NotAfter:     now.Add(lifetime),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
	for _, host := range subject.Hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	return template, nil
}

// signPair makes the key and the certificate; without an authority it signs itself.
func signPair(template *x509.Certificate, ca *Pair) (*Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the key of %s: %w", template.Subject.CommonName, err)
	}
	parent, signer := template, key
	if ca != nil {
		parent, signer = ca.cert, ca.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		return nil, fmt.Errorf("sign the certificate of %s: %w", template.Subject.CommonName, err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("read back the certificate of %s: %w", template.Subject.CommonName, err)
	}
	keyPEM, err := encodeKey(key)
	if err != nil {
		return nil, err
	}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return &Pair{cert: cert, key: key, CertPEM: certPEM, KeyPEM: keyPEM}, nil
}
