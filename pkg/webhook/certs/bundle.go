package certs

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
)

const pemCertificate = "CERTIFICATE"

// Bundle is a list of CA certificates that a caller trusts. The one that signs is
// first.
type Bundle []*x509.Certificate

// ParseBundle reads a bundle from PEM. Empty data is an empty bundle.
func ParseBundle(data []byte) (Bundle, error) {
	var bundle Bundle
	for rest := bytes.TrimSpace(data); len(rest) > 0; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return nil, errors.New("the bundle holds text that is not PEM")
		}
		if block.Type != pemCertificate {
			return nil, fmt.Errorf("the bundle holds a PEM block of type %q, want only %s", block.Type, pemCertificate)
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("the bundle holds a certificate that cannot be read: %w", err)
		}
		bundle = append(bundle, certificate)
	}
	return bundle, nil
}

// PEM returns the bundle in the form of a caBundle.
func (b Bundle) PEM() []byte {
	var out bytes.Buffer
	for _, certificate := range b {
		// Writing to a buffer does not fail.
		_ = pem.Encode(&out, &pem.Block{Type: pemCertificate, Bytes: certificate.Raw})
	}
	return out.Bytes()
}

// Pool returns the bundle in the form that crypto/tls takes.
func (b Bundle) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	for _, certificate := range b {
		pool.AddCert(certificate)
	}
	return pool
}

// Contains reports whether the certificate is in the bundle.
func (b Bundle) Contains(certificate *x509.Certificate) bool {
	return slices.ContainsFunc(b, certificate.Equal)
}

// HasSigned reports whether a CA of the bundle signed the leaf.
func (b Bundle) HasSigned(leaf *x509.Certificate) bool {
	return slices.ContainsFunc(b, func(ca *x509.Certificate) bool {
		return leaf.CheckSignatureFrom(ca) == nil
	})
}

// mergeBundle returns the bundle followed by those of others that it lacks and that keep
// accepts.
func (b Bundle) mergeBundle(others Bundle, keep func(*x509.Certificate) bool) Bundle {
	out := slices.Clone(b)
	for _, certificate := range others {
		if !out.Contains(certificate) && keep(certificate) {
			out = append(out, certificate)
		}
	}
	return out
}
