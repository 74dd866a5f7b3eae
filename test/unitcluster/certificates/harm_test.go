package certificates_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/test/support/await"
)

// harm is something that an operator does to the Secret that holds the CA.
type harm struct {
	name string
	do   func(t *testing.T, c *cluster)
}

// listHarms returns all after which there has to be a new CA.
func listHarms() []harm {
	year := 365 * 24 * time.Hour
	return []harm{
		{"deleted", func(t *testing.T, c *cluster) {
			if err := c.client.Delete(t.Context(), c.readSecret(t)); err != nil {
				t.Fatal(err)
			}
		}},
		{"emptied", spoilSecret(func(_ *testing.T, data map[string][]byte) { clear(data) })},
		{"rubbish for a certificate", spoilSecret(func(_ *testing.T, data map[string][]byte) {
			data[corev1.TLSCertKey] = []byte("rubbish")
		})},
		{"rubbish for a key", spoilSecret(func(_ *testing.T, data map[string][]byte) {
			data[corev1.TLSPrivateKeyKey] = []byte("rubbish")
		})},
		{"the key of another CA", spoilSecret(func(t *testing.T, data map[string][]byte) {
			data[corev1.TLSPrivateKeyKey] = pairFor(t, time.Now(), year, true)[corev1.TLSPrivateKeyKey]
		})},
		{"a CA that has expired", replaceSecret(func(t *testing.T) map[string][]byte {
			return pairFor(t, time.Now().Add(-2*year), year, true)
		})},
		{"a certificate of no CA", replaceSecret(func(t *testing.T) map[string][]byte {
			return pairFor(t, time.Now(), year, false)
		})},
	}
}

func spoilSecret(spoil func(*testing.T, map[string][]byte)) func(*testing.T, *cluster) {
	return func(t *testing.T, c *cluster) {
		c.changeSecret(t, func(data map[string][]byte) { spoil(t, data) })
	}
}

func replaceSecret(by func(*testing.T) map[string][]byte) func(*testing.T, *cluster) {
	return func(t *testing.T, c *cluster) { c.putData(t, by(t)) }
}

// readSecret returns the one that holds the CA.
func (c *cluster) readSecret(t *testing.T) *corev1.Secret {
	t.Helper()
	secret := &corev1.Secret{}
	if err := c.client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: secretName}, secret); err != nil {
		t.Fatal(err)
	}
	return secret
}

// changeSecret writes the data of the Secret.
func (c *cluster) changeSecret(t *testing.T, change func(map[string][]byte)) {
	t.Helper()
	await.Eventually(t, "a write of the Secret", func() error {
		secret := c.readSecret(t)
		change(secret.Data)
		err := c.client.Update(t.Context(), secret)
		if err != nil && !apierrors.IsConflict(err) {
			t.Fatal(err)
		}
		return err
	})
}

func (c *cluster) putData(t *testing.T, data map[string][]byte) {
	t.Helper()
	c.changeSecret(t, func(into map[string][]byte) {
		for key, value := range data {
			into[key] = value
		}
	})
}

// pairFor is a certificate and its key, in the form of the Secret and under the
// name of our CA.
func pairFor(t *testing.T, from time.Time, valid time.Duration, isCA bool) map[string][]byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: secretName},
		NotBefore: from, NotAfter: from.Add(valid), IsCA: isCA, BasicConstraintsValid: true,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
	return map[string][]byte{
		corev1.TLSCertKey: text, corev1.ServiceAccountRootCAKey: text,
		corev1.TLSPrivateKeyKey: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
	}
}

// readUsableCA returns the CA of the Secret, nil if nothing can be signed with what it holds.
func (c *cluster) readUsableCA(t *testing.T) *x509.Certificate {
	t.Helper()
	secret := &corev1.Secret{}
	err := c.client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: secretName}, secret)
	if client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(secret.Data[corev1.TLSCertKey], secret.Data[corev1.TLSPrivateKeyKey])
	if err != nil || !pair.Leaf.IsCA || time.Now().After(pair.Leaf.NotAfter) {
		return nil
	}
	return pair.Leaf
}
