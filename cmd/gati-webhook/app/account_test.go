package app

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"testing"

	"k8s.io/client-go/rest"
)

// TestNoCompressionIsAskedFor holds that the API server need not compress what it sends us.
func TestNoCompressionIsAskedFor(t *testing.T) {
	var asked []string
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Accept-Encoding"))
	}))
	defer server.Close()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	c := &rest.Config{Host: server.URL, TLSClientConfig: rest.TLSClientConfig{CAData: ca}}
	client, err := rest.HTTPClientFor(withDefaults(c, &config{}))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if len(asked) != 1 || asked[0] != "" {
		t.Errorf("Accept-Encoding %q, want none", asked)
	}
}
