package certs

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// keyCA is where cert-manager's authority keeps its certificate a second time,
// for those who only trust it.
const keyCA = "ca.crt"

// usableCA returns the CA of a Secret if leaves can be signed with it. What is
// not usable the authority replaces. Until it has, nobody may be told to trust it
// in the place of the CA that signed what is served.
func usableCA(secret *corev1.Secret, now time.Time) (*x509.Certificate, error) {
	certificate, key := secret.Data[corev1.TLSCertKey], secret.Data[corev1.TLSPrivateKeyKey]
	if !bytes.Equal(certificate, secret.Data[keyCA]) {
		return nil, fmt.Errorf("%s and %s differ", corev1.TLSCertKey, keyCA)
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, err
	}
	ca := pair.Leaf
	switch {
	case !ca.IsCA:
		return nil, errors.New("the certificate is not one of a CA")
	case !now.Before(ca.NotAfter):
		return nil, fmt.Errorf("the CA has expired at %s", ca.NotAfter.Format(time.RFC3339))
	}
	return ca, nil
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
