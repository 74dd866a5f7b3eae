package certificates_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/await"
)

// apiServerName is the common name of the API server's client certificate.
const apiServerName = "kube-apiserver-to-webhooks"

// clientAuthority signs client certificates.
type clientAuthority struct {
	file string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newClientAuthority(dir string) (*clientAuthority, error) {
	a := &clientAuthority{file: filepath.Join(dir, "client-ca.pem")}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "clients"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	signed, key, err := a.signCert(template)
	if err != nil {
		return nil, err
	}
	a.key = key
	if a.cert, err = x509.ParseCertificate(signed); err != nil {
		return nil, err
	}
	return a, os.WriteFile(a.file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}), 0o600)
}

// issueClientCert returns a certificate with a common name and its key, in PEM.
func (a *clientAuthority) issueClientCert(name string) (cert, key []byte, err error) {
	signed, private, err := a.signCert(&x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalECPrivateKey(private)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), err
}

// signCert signs for a new key, the authority's own certificate with that key itself.
func (a *clientAuthority) signCert(template *x509.Certificate) ([]byte, *ecdsa.PrivateKey, error) {
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	return signed, key, err
}

// writeAdmissionConfig writes the file that has the API server show a client certificate
// to webhooks, as docs/security.md describes it, and returns its path.
func (a *clientAuthority) writeAdmissionConfig(dir string) (string, error) {
	cert, key, err := a.issueClientCert(apiServerName)
	if err != nil {
		return "", err
	}
	config := clientcmdapi.NewConfig()
	config.AuthInfos["*"] = &clientcmdapi.AuthInfo{ClientCertificateData: cert, ClientKeyData: key}
	kubeconfig, path := filepath.Join(dir, "webhooks.kubeconfig"), filepath.Join(dir, "admission.yaml")
	if err := clientcmd.WriteToFile(*config, kubeconfig); err != nil {
		return "", err
	}
	text := "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n"
	for _, plugin := range []string{"MutatingAdmissionWebhook", "ValidatingAdmissionWebhook"} {
		text += fmt.Sprintf("- name: %s\n  configuration:\n    apiVersion: apiserver.config.k8s.io/v1\n    kind: WebhookAdmissionConfiguration\n    kubeConfigFile: %s\n", plugin, kubeconfig)
	}
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// With client certificates required, the API server admits and converts as before, and
// whoever has no such certificate is not listened to, except about conversion.
func TestClientCertificates(t *testing.T) {
	port := freePort(t)
	c := needCluster(t, "https://"+loopbackAddress(port))
	p := startProcess(t, c, port, "--client-ca-file="+c.clients.file, "--client-names="+apiServerName)
	p.awaitReady(t, "ready")
	for version, spec := range map[string]map[string]any{
		"v1":       {"path": "/a", "image": "app:v1"},
		"v1alpha1": {"handlerPath": "/a", "image": "app:v1"},
	} {
		h := &unstructured.Unstructured{Object: map[string]any{"apiVersion": v1.Group + "/" + version, "kind": "GatiHandler", "spec": spec}}
		h.SetNamespace("default")
		h.SetName("certified")
		await.Eventually(t, "an admission of "+version, func() error {
			h.SetResourceVersion("")
			return c.client.Create(t.Context(), h, client.DryRunAll)
		})
		if h.GetAnnotations()[v1.AnnotationPlan] == "" {
			t.Errorf("a handler of %s was not mutated: %v", version, h.Object)
		}
	}
	for name, tc := range map[string]struct {
		as, path string
		want     int
	}{
		"a validation without a certificate":    {"", "/validate", http.StatusUnauthorized},
		"a mutation without a certificate":      {"", "/mutate", http.StatusUnauthorized},
		"a validation with another certificate": {"a-user", "/validate", http.StatusUnauthorized},
		"a validation of the API server":        {apiServerName, "/validate", http.StatusOK},
		"a conversion without a certificate":    {"", "/convert", http.StatusBadRequest}, // as no review
	} {
		t.Run(name, func(t *testing.T) {
			body := "" // Nothing is read of others, and a write to them could fail.
			if tc.as == apiServerName {
				body = makeReview("forged", `"path":"/a","image":"app:v1"`)
			}
			status, text := c.sendAs(t, tc.as, "https://"+p.webhook+tc.path, body)
			if status != tc.want {
				t.Errorf("status %d, want %d: %s", status, tc.want, text)
			}
		})
	}
}

// sendAs posts with a client certificate of a name, or with none.
func (c *cluster) sendAs(t *testing.T, name, url, body string) (int, string) {
	t.Helper()
	config := &tls.Config{InsecureSkipVerify: true} // the server is another test's subject
	if name != "" {
		cert, key, err := c.clients.issueClientCert(name)
		if err != nil {
			t.Fatal(err)
		}
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			t.Fatal(err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := (&http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(bytes.TrimSpace(text))
}
