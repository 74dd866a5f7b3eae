package signals

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"k8s.io/utils/clock"
)

// errTooLarge is what reading a body comes to that is longer than it may be.
var errTooLarge = errors.New("the answer is too large")

// transport adds credentials to requests, and keeps an answer from filling the
// memory or speaking of another time.
type transport struct {
	next  http.RoundTripper
	clock clock.PassiveClock
	limit int64
	// token and password are files, which are read for each request: they change.
	token, user, password string
	// ahead is told how far the server's clock is ahead of ours.
	ahead func(time.Duration)
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if err := t.authorize(r); err != nil {
		return nil, err
	}
	response, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if date, bad := http.ParseTime(response.Header.Get("Date")); bad == nil && t.ahead != nil {
		t.ahead(date.Sub(t.clock.Now()))
	}
	response.Body = &limited{body: response.Body, left: t.limit}
	return response, nil
}

func (t *transport) authorize(r *http.Request) error {
	if t.token != "" {
		token, err := secret(t.token)
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if t.user != "" {
		password, err := secret(t.password)
		if err != nil {
			return err
		}
		r.SetBasicAuth(t.user, password)
	}
	return nil
}

// secret reads a file that holds nothing but a secret.
func secret(path string) (string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the credentials: %w", err)
	}
	return strings.TrimSpace(string(content)), nil
}

// limited fails rather than cut a body off: half an answer would look like a whole
// one.
type limited struct {
	body io.ReadCloser
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, errTooLarge
	}
	n, err := l.body.Read(p[:min(int64(len(p)), l.left+1)])
	if l.left -= int64(n); l.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

func (l *limited) Close() error { return l.body.Close() }

// trusting returns a transport that trusts the authorities in a file, or those of the
// system where there is none.
func trusting(caFile string) (*http.Transport, error) {
	out, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return nil, errors.New("http.DefaultTransport was replaced")
	}
	out = out.Clone()
	if caFile == "" {
		return out, nil
	}
	content, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("read the authorities of Prometheus: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(content) {
		return nil, fmt.Errorf("%s has no certificate in PEM", caFile)
	}
	out.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	return out, nil
}
