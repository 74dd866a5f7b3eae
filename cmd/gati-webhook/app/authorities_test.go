package app

import (
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAuthoritiesOfServers holds that clients trust the authorities in a file beside those of
// the system, and what is said of a file that has none.
func TestAuthoritiesOfServers(t *testing.T) {
	before := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = before })
	http.DefaultTransport = before.(*http.Transport).Clone()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	get := func() error {
		answer, err := (&http.Client{}).Get(server.URL)
		if err == nil {
			err = answer.Body.Close()
		}
		return err
	}
	if err := get(); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Fatalf("a private authority is trusted before: %v", err)
	}
	dir := t.TempDir()
	file, empty := filepath.Join(dir, "ca.crt"), filepath.Join(dir, "empty")
	write := func(path string, content []byte) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(empty, nil)
	write(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	for path, want := range map[string]string{empty: "has no certificate in PEM", filepath.Join(dir, "gone"): "no such file"} {
		if err := trustAuthorities(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if err := trustAuthorities(file); err != nil {
		t.Fatal(err)
	}
	if err := get(); err != nil {
		t.Errorf("the authority of ca-file is not trusted: %v", err)
	}
	pool := http.DefaultTransport.(*http.Transport).TLSClientConfig.RootCAs
	system, err := x509.SystemCertPool()
	if err != nil || pool.Equal(system) {
		t.Errorf("the pool is that of the system alone, %v", err)
	}
}

// TestWhoNeedsTheAuthorities holds that the hooks start without the file of ca-file, which is
// mounted where servers are called.
func TestWhoNeedsTheAuthorities(t *testing.T) {
	for name, tt := range map[string]struct {
		c    config
		want bool
	}{
		"hooks":             {config{Role: roleAdmission}, false},
		"hooks with traces": {config{Role: roleAdmission, OTLPEndpoint: "https://collector.example"}, true},
		"controllers":       {config{Role: roleControllers}, true},
		"all":               {config{Role: roleAll}, true},
	} {
		if got := tt.c.callsServers(); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestRootsAreInTheBinary holds that public servers are trusted where the system has no
// authorities, as in the image.
func TestRootsAreInTheBinary(t *testing.T) {
	if os.Getenv("GATI_TEST_ROOTS") == "" {
		again := exec.Command(os.Args[0], "-test.run=^TestRootsAreInTheBinary$", "-test.v")
		again.Env = append(os.Environ(), "GATI_TEST_ROOTS=1", "SSL_CERT_FILE="+os.DevNull, "SSL_CERT_DIR="+t.TempDir())
		if out, err := again.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	// Without roots the verification of any certificate ends with another error.
	leaf := httptest.NewTLSServer(http.NotFoundHandler())
	defer leaf.Close()
	if _, err := leaf.Certificate().Verify(x509.VerifyOptions{}); err == nil || strings.Contains(err.Error(), "no roots") || strings.Contains(err.Error(), "system root") {
		t.Errorf("there are no roots: %v", err)
	}
	if pool, err := x509.SystemCertPool(); err != nil || pool.Equal(x509.NewCertPool()) {
		t.Errorf("the pool of roots is empty: %v", err)
	}
}
