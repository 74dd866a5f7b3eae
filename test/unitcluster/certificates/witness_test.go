package certificates_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"

	"gati.dev/gati/pkg/webhook/certs"
	"gati.dev/gati/test/support/await"
)

// witness calls one replica as the API server does, with the CA that stands in the
// clientConfig at that moment, but over a new connection each time: one that is
// kept does not show that a certificate is trusted no more. It notes which
// certificates it was shown.
type witness struct {
	replica *process
	live    *certs.Live

	mu     sync.Mutex
	calls  int
	failed []error
	shown  []shown
}

// shown is a serving certificate and the CA that vouched for it, by serial number.
type shown struct{ ca, leaf string }

func startWitness(t *testing.T, c *cluster, p *process) *witness {
	t.Helper()
	w := &witness{replica: p, live: c.newLive()}
	runInBackground(t, "the witness of "+p.webhook, func(ctx context.Context) error {
		for ctx.Err() == nil {
			// The call outlives the context, or its end would be a failure.
			w.recordChain(w.requestAdmission(context.WithoutCancel(ctx)))
			time.Sleep(200 * time.Millisecond)
		}
		return nil
	})
	return w
}

func (w *witness) recordChain(chain []*x509.Certificate, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls++
	if err != nil {
		w.failed = append(w.failed, fmt.Errorf("at %s: %w", time.Now().Format(time.TimeOnly), err))
		return
	}
	now := shown{ca: serialOf(chain[len(chain)-1]), leaf: serialOf(chain[0])}
	if len(w.shown) == 0 || w.lastShown() != now {
		w.shown = append(w.shown, now)
	}
}

func (w *witness) lastShown() shown { return w.shown[len(w.shown)-1] }

// checkShownBy fails unless the last certificate shown was vouched for by this CA.
func (w *witness) checkShownBy(ca *x509.Certificate) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.shown) == 0 || w.lastShown().ca != serialOf(ca) {
		return fmt.Errorf("%s does not serve a certificate of CA %s yet", w.replica.webhook, serialOf(ca))
	}
	return nil
}

// countRotations are how often the CA changed, and how often the leaf did: under a new
// CA, and under the same one.
func (w *witness) countRotations() (cas, leaves, renewed int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := 1; i < len(w.shown); i++ {
		before, after := w.shown[i-1], w.shown[i]
		if before.ca != after.ca {
			cas++
		} else {
			renewed++
		}
		if before.leaf != after.leaf {
			leaves++
		}
	}
	return cas, leaves, renewed
}

// requestAdmission asks for an admission and returns the chain that it trusted.
func (w *witness) requestAdmission(ctx context.Context) ([]*x509.Certificate, error) {
	ctx, cancel := context.WithTimeout(ctx, await.Patience)
	defer cancel()
	endpoints, err := w.live.Endpoints(ctx)
	if err != nil {
		return nil, err
	}
	client, err := callerOf(endpoints[1], w.replica.webhook)
	if err != nil {
		return nil, err
	}
	const uid = "witness"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+w.replica.webhook+"/validate?timeout=5s",
		strings.NewReader(makeReview(uid, `"path":"/a","image":"app:v1"`)))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	var got admissionv1.AdmissionReview
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
		return nil, err
	}
	if got.Response == nil || got.Response.UID != uid || !got.Response.Allowed {
		return nil, fmt.Errorf("answered %s: %+v", answer.Status, got.Response)
	}
	return answer.TLS.VerifiedChains[0], nil
}

// callerOf trusts and expects what a clientConfig says.
func callerOf(e certs.Endpoint, address string) (*http.Client, error) {
	bundle, err := certs.ParseBundle(e.CABundle)
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{RootCAs: bundle.Pool(), ServerName: e.ServerName},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		},
	}}, nil
}

func serialOf(c *x509.Certificate) string { return c.SerialNumber.Text(16) }
