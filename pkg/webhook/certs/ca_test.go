package certs

import (
	"crypto/tls"
	"crypto/x509"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// What the Secret holds counts as the CA only if leaves can be signed with it.
func TestUsableCA(t *testing.T) {
	now := time.Now()
	ca, other := newCA(t, commonName, now.Add(-time.Hour)), newCA(t, commonName, now)
	whole := func(key string) []byte {
		certificate, private := pemFiles(t, &tls.Certificate{Leaf: ca.certificate, PrivateKey: ca.key})
		return map[string][]byte{corev1.TLSCertKey: certificate, corev1.TLSPrivateKeyKey: private, keyCA: certificate}[key]
	}
	leaf, leafKey := pemFiles(t, leafOf(t, ca, now, time.Hour))
	_, otherKey := pemFiles(t, &tls.Certificate{Leaf: other.certificate, PrivateKey: other.key})
	tests := map[string]struct {
		with map[string][]byte
		at   time.Time
		want string // in the error; empty is usable
	}{
		"a CA":                 {},
		"nothing":              {with: map[string][]byte{corev1.TLSCertKey: nil, corev1.TLSPrivateKeyKey: nil, keyCA: nil}, want: "failed to find any PEM data"},
		"rubbish for a CA":     {with: map[string][]byte{corev1.TLSCertKey: []byte("x"), keyCA: []byte("x")}, want: "failed to find any PEM data in certificate"},
		"rubbish for a key":    {with: map[string][]byte{corev1.TLSPrivateKeyKey: []byte("x")}, want: "in key input"},
		"the key of another":   {with: map[string][]byte{corev1.TLSPrivateKeyKey: otherKey}, want: "does not match"},
		"two opinions":         {with: map[string][]byte{keyCA: leaf}, want: "tls.crt and ca.crt differ"},
		"a leaf":               {with: map[string][]byte{corev1.TLSCertKey: leaf, keyCA: leaf, corev1.TLSPrivateKeyKey: leafKey}, want: "not one of a CA"},
		"one that has expired": {at: ca.certificate.NotAfter, want: "has expired"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			secret := &corev1.Secret{Data: map[string][]byte{}}
			for _, key := range []string{corev1.TLSCertKey, corev1.TLSPrivateKeyKey, keyCA} {
				secret.Data[key] = whole(key)
			}
			for key, value := range tc.with {
				secret.Data[key] = value
			}
			at := tc.at
			if at.IsZero() {
				at = now
			}
			got, err := usableCA(secret, at)
			if tc.want == "" {
				if err != nil || !got.certificate.Equal(ca.certificate) {
					t.Errorf("got %v, %v", subjectOf(got.certificate), err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func subjectOf(c *x509.Certificate) string {
	if c == nil {
		return "nothing"
	}
	return c.Subject.String()
}
