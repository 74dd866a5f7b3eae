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

// errAnswerTooLarge is returned for a body over the limit.
var errAnswerTooLarge = errors.New("the answer is too large")

// transport adds credentials to requests, limits the size of answers and compares
// clocks.
type transport struct {
	next  http.RoundTripper
	clock clock.PassiveClock
	limit int64
	// token and password are files. They are read for each request, because they
	// may be rotated.
	token, user, password string
	// onClockAhead receives by how much the server's clock is ahead of ours.
	onClockAhead func(time.Duration)
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if err := t.addCredentials(r); err != nil {
		return nil, err
	}
	response, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if date, bad := http.ParseTime(response.Header.Get("Date")); bad == nil && t.onClockAhead != nil {
		t.onClockAhead(date.Sub(t.clock.Now()))
	}
	response.Body = &limitedBody{body: response.Body, left: t.limit}
	return response, nil
}

func (t *transport) addCredentials(r *http.Request) error {
	if t.token != "" {
		token, err := readSecret(t.token)
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if t.user != "" {
		password, err := readSecret(t.password)
		if err != nil {
			return err
		}
		r.SetBasicAuth(t.user, password)
	}
	return nil
}

// readSecret reads a file that holds a secret only.
func readSecret(path string) (string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the credentials: %w", err)
	}
	return strings.TrimSpace(string(content)), nil
}

// limitedBody fails at the limit instead of ending there: half an answer would look
// complete.
type limitedBody struct {
	body io.ReadCloser
	left int64
}

func (l *limitedBody) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, errAnswerTooLarge
	}
	n, err := l.body.Read(p[:min(int64(len(p)), l.left+1)])
	if l.left -= int64(n); l.left < 0 {
		return 0, errAnswerTooLarge
	}
	return n, err
}

func (l *limitedBody) Close() error { return l.body.Close() }

// newTransport returns a transport that trusts the authorities in a file, or those
// of the system if the path is empty.
func newTransport(caFile string) (*http.Transport, error) {
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
