package certs

import (
	"bytes"
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// keyCA is the Secret's key of the certificate alone, for clients that only trust
// the CA.
const keyCA = "ca.crt"

// ca is a CA that can sign.
type ca struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

// needsRenewal reports whether at most a third of the certificate's lifetime is
// left.
func needsRenewal(certificate *x509.Certificate, now time.Time) bool {
	return !now.Before(certificate.NotAfter.Add(-certificate.NotAfter.Sub(certificate.NotBefore) / 3))
}

// usableCA returns the CA of a Secret if it can sign leaves. Until the authority has
// replaced an unusable one, it must not be published in place of the CA that signed the
// served certificate.
func usableCA(secret *corev1.Secret, now time.Time) (ca, error) {
	certificate, key := secret.Data[corev1.TLSCertKey], secret.Data[corev1.TLSPrivateKeyKey]
	if !bytes.Equal(certificate, secret.Data[keyCA]) {
		return ca{}, fmt.Errorf("%s and %s differ", corev1.TLSCertKey, keyCA)
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return ca{}, err
	}
	signer, ok := pair.PrivateKey.(crypto.Signer)
	switch {
	case !ok:
		return ca{}, errors.New("the key cannot sign")
	case !pair.Leaf.IsCA:
		return ca{}, errors.New("the certificate is not one of a CA")
	case !now.Before(pair.Leaf.NotAfter):
		return ca{}, fmt.Errorf("the CA has expired at %s", pair.Leaf.NotAfter.Format(time.RFC3339))
	}
	return ca{certificate: pair.Leaf, key: signer}, nil
}

// overlapFilter selects the CAs that stay published beside the current one: our own
// that may have signed a leaf still in use.
// A CA older than the current one signed nothing after the current one was made, so
// it goes one leaf lifetime later. A CA newer than the current one was replaced by
// an older one, as from a backup. What it signed may be recent, so it stays until
// it expires or a newer CA is current.
func overlapFilter(current *x509.Certificate, now time.Time, leafLifetime time.Duration) func(*x509.Certificate) bool {
	over := now.After(current.NotBefore.Add(leafLifetime))
	return func(ca *x509.Certificate) bool {
		later := ca.NotBefore.After(current.NotBefore)
		return (later || !over) && ca.Subject.CommonName == commonName && now.Before(ca.NotAfter)
	}
}
