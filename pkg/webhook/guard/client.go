package guard

import (
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"slices"
)

// ReadAuthorities reads the authorities that sign the certificates of clients.
func ReadAuthorities(path string) (*x509.CertPool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the authorities of clients (client-ca-file): %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("read the authorities of clients (client-ca-file): %s has no certificate in PEM", path)
	}
	return pool, nil
}

// RequireClient returns the hook behind a check of the client's certificate: its common
// name has to be one of names, or any where there are none. Nothing is read of others.
func RequireClient(names []string, hook http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isClient(r, names) {
			w.Header().Set("Connection", "close")
			http.Error(w, "this path needs the API server's client certificate", http.StatusUnauthorized)
			return
		}
		hook.ServeHTTP(w, r)
	})
}

func isClient(r *http.Request, names []string) bool {
	if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 {
		return false
	}
	return len(names) == 0 || slices.Contains(names, r.TLS.PeerCertificates[0].Subject.CommonName)
}
