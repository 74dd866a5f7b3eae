package repository

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestAuthoritiesOfGit holds that a repository over https is trusted by the authorities of the
// default transport, where the operator's ca-file is, and by those of its Secret beside them.
func TestAuthoritiesOfGit(t *testing.T) {
	before := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = before })
	server := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	own := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	operators := x509.NewCertPool()
	operators.AddCert(server.Certificate())
	for name, tt := range map[string]struct {
		config  *tls.Config
		secret  []byte
		trusted bool
	}{
		"no authority":              {},
		"that of ca-file":           {config: &tls.Config{RootCAs: operators, MinVersion: tls.VersionTLS12}, trusted: true},
		"that of the Secret":        {secret: own, trusted: true},
		"Secret beside the ca-file": {config: &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}, secret: own, trusted: true},
	} {
		base := before.(*http.Transport).Clone()
		base.TLSClientConfig = tt.config
		http.DefaultTransport = base
		client, err := Access{CA: tt.secret}.httpTransport()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		answer, err := (&http.Client{Transport: client}).Get(server.URL)
		if (err == nil) != tt.trusted {
			t.Errorf("%s: %v, want trusted %t", name, err, tt.trusted)
		}
		if err == nil {
			_ = answer.Body.Close() // it was only read
		}
		if tt.config != nil && tt.secret != nil && !tt.config.RootCAs.Equal(x509.NewCertPool()) {
			t.Errorf("%s: the Secret of one repository changed the authorities of all clients", name)
		}
	}
}
