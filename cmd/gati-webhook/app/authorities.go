package app

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"

	// The image has no files: where the system has no authorities, those of Mozilla count.
	_ "golang.org/x/crypto/x509roots/fallback"
)

// trustAuthorities has every client of servers outside of the cluster trust the authorities
// in a file, beside those of the system. They all use the default transport, or a copy of it:
// sinks of notifications, Git, Prometheus. The API server has authorities of its own.
func trustAuthorities(path string) error {
	if path == "" {
		return nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the authorities of servers (ca-file): %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return fmt.Errorf("read the authorities of the system: %w", err)
	}
	if !pool.AppendCertsFromPEM(content) {
		return fmt.Errorf("read the authorities of servers (ca-file): %s has no certificate in PEM", path)
	}
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return errors.New("http.DefaultTransport was replaced")
	}
	transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	return nil
}
