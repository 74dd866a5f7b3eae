package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"net"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// A CA is made, read back from its Secret, and signs what a caller accepts.
func TestSign(t *testing.T) {
	now := time.Now()
	data, err := createCA(now, 365*24*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	held, err := usableCA(&corev1.Secret{Data: data}, now)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := held.signLeaf(now, time.Hour, []string{"gati-webhook.gati-system.svc"}, []net.IP{net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gati-webhook.gati-system.svc", "127.0.0.1"} {
		_, err := signed.Leaf.Verify(x509.VerifyOptions{DNSName: name, Roots: Bundle{held.certificate}.Pool(), CurrentTime: now.Add(time.Minute)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for what, c := range map[string]*x509.Certificate{"CA": held.certificate, "leaf": signed.Leaf} {
		if key, ok := c.PublicKey.(*ecdsa.PublicKey); !ok || key.Curve != elliptic.P256() {
			t.Errorf("the key of the %s is %T, want one on P-256", what, c.PublicKey)
		}
	}
}

// Who verifies a leaf tries each CA of its issuer's name.
func TestNoTwoCAsHaveOneName(t *testing.T) {
	a, b := madeCA(t, time.Now()), madeCA(t, time.Now())
	if string(a.certificate.RawSubject) == string(b.certificate.RawSubject) {
		t.Errorf("both are %s", a.certificate.Subject)
	}
	if a.certificate.Subject.CommonName != commonName {
		t.Errorf("the common name is %q, want %q, by which a CA is known for ours", a.certificate.Subject.CommonName, commonName)
	}
}

func TestALeafDoesNotOutliveItsCA(t *testing.T) {
	made := madeCA(t, time.Now())
	signed := leafOf(t, made, made.certificate.NotAfter.Add(-time.Minute), time.Hour)
	if !signed.Leaf.NotAfter.Equal(made.certificate.NotAfter) {
		t.Errorf("the leaf lives until %s, its CA until %s", signed.Leaf.NotAfter, made.certificate.NotAfter)
	}
}

func madeCA(t *testing.T, now time.Time) ca {
	t.Helper()
	data, err := createCA(now, 365*24*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	made, err := usableCA(&corev1.Secret{Data: data}, now)
	if err != nil {
		t.Fatal(err)
	}
	return made
}
