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

// keyCA is where the Secret holds the certificate a second time, for those who only
// trust it.
const keyCA = "ca.crt"

// ca is a CA that can sign.
type ca struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

// aged tells whether a third of a certificate's life or less is left, upon which it
// is replaced.
func aged(certificate *x509.Certificate, now time.Time) bool {
	return !now.Before(certificate.NotAfter.Add(-certificate.NotAfter.Sub(certificate.NotBefore) / 3))
}

// usableCA returns the CA of a Secret if leaves can be signed with it. What is not
// usable the authority replaces. Until it has, nobody may be told to trust it in the
// place of the CA that signed what is served.
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

// overlaps tells which CAs stay beside the current one: those of ours that may
// still have signed something that is served. By those made before it nothing was
// signed since it was made, so a leaf's lifetime later all of it has expired. One
// that was made after it has been replaced by an older one, as from a backup: what
// it signed may be as new as can be, so it stays until it expires or a newer CA is
// the current one.
func overlaps(current *x509.Certificate, now time.Time, leafLifetime time.Duration) func(*x509.Certificate) bool {
	over := now.After(current.NotBefore.Add(leafLifetime))
	return func(ca *x509.Certificate) bool {
		later := ca.NotBefore.After(current.NotBefore)
		return (later || !over) && ca.Subject.CommonName == commonName && now.Before(ca.NotAfter)
	}
}
