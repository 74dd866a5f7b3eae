package tracing

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/go-logr/logr"
)

// Variables of the process that exports one trace.
const (
	exportVariable = "GATI_TEST_EXPORT_TO"
	caVariable     = "GATI_TEST_CA_FILE"
)

// TestExporterReachesHTTPS holds that a collector behind a private authority gets traces where
// ca-file or a variable of the exporter names the authority, with headers and by a proxy, and
// none where nothing names it. Each case is a process: Go reads a proxy's variables once.
func TestExporterReachesHTTPS(t *testing.T) {
	var arrived atomic.Pointer[http.Request]
	var asked atomic.Pointer[string]
	collector := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { arrived.Store(r) }))
	t.Cleanup(collector.Close)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		line := r.Method + " " + r.Host
		asked.Store(&line)
		tunnel(w, collector.Listener.Addr().String())
	}))
	t.Cleanup(proxy.Close)
	ca := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: collector.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		to      string
		env     []string
		arrives bool
		header  string
		proxied string
	}{
		"no authority":           {to: collector.URL},
		"ca-file":                {to: collector.URL, env: []string{caVariable + "=" + ca}, arrives: true},
		"certificate of OTLP":    {to: collector.URL, env: []string{"OTEL_EXPORTER_OTLP_CERTIFICATE=" + ca}, arrives: true},
		"certificate of traces":  {to: collector.URL, env: []string{"OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE=" + ca}, arrives: true},
		"headers":                {to: collector.URL, env: []string{caVariable + "=" + ca, "OTEL_EXPORTER_OTLP_HEADERS=x-tenant=shop"}, arrives: true, header: "shop"},
		"proxy":                  {to: "https://example.com", env: []string{caVariable + "=" + ca, "HTTPS_PROXY=" + proxy.URL}, arrives: true, proxied: "CONNECT example.com:443"},
		"proxy, without a proxy": {to: "https://example.com", env: []string{caVariable + "=" + ca, "HTTPS_PROXY=http://127.0.0.1:1"}},
	} {
		arrived.Store(nil)
		asked.Store(new(string))
		again := exec.Command(os.Args[0], "-test.run=^TestExportOne$")
		again.Env = append([]string{exportVariable + "=" + tt.to}, tt.env...)
		if out, err := again.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		got := arrived.Load()
		if (got != nil) != tt.arrives || *asked.Load() != tt.proxied {
			t.Errorf("%s: arrived %t, the proxy was asked for %q; want %t, %q", name, got != nil, *asked.Load(), tt.arrives, tt.proxied)
		}
		if got != nil && got.Header.Get("X-Tenant") != tt.header {
			t.Errorf("%s: the header is %q", name, got.Header.Get("X-Tenant"))
		}
	}
}

// TestExportOne is the process of TestExporterReachesHTTPS.
func TestExportOne(t *testing.T) {
	to := os.Getenv(exportVariable)
	if to == "" {
		return
	}
	if path := os.Getenv(caVariable); path != "" {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(content)
		http.DefaultTransport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	on, err := New(t.Context(), to, "gati-webhook", "v1", logr.Discard())
	if err != nil {
		t.Fatal(err)
	}
	_, w := on.Begin(t.Context(), Subject{Name: "users"})
	w.Did("decide", w.Now())
	w.EndRoot("admission")
	_ = on.Shutdown(t.Context()) // an export that fails is what some cases want
}

// tunnel connects a client of a proxy with an address.
func tunnel(w http.ResponseWriter, address string) {
	far, err := net.Dial("tcp", address)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	near, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n") // a client that is gone reads nothing
	go func() {
		_, _ = io.Copy(far, near)
		_ = far.Close()
	}()
	_, _ = io.Copy(near, far)
	_ = near.Close()
}
