package ready

import (
	"context"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gati.dev/gati/pkg/webhook/certs"
)

// standing are clientConfigs that a test changes.
type standing struct {
	endpoints []certs.Endpoint
	err       error
	slow      bool // answers when the time for it is over
	reads     int
}

func (s *standing) Endpoints(ctx context.Context) ([]certs.Endpoint, error) {
	s.reads++
	if s.slow {
		<-ctx.Done()
	}
	return s.endpoints, s.err
}

// listener is our own, with a certificate for example.com.
func listener(t *testing.T, status int) (address string, bundle []byte, calls *int) {
	t.Helper()
	calls = new(int)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		*calls++
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	bundle = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return server.Listener.Addr().String(), bundle, calls
}

func checker(address string, s *standing) (*Checker, *time.Time) {
	now := time.Now()
	c := New(Options{Address: address, Path: "/healthz", Endpoints: s, Synced: func() bool { return true }})
	c.now = func() time.Time { return now }
	return c, &now
}

func probe() *http.Request { return httptest.NewRequest(http.MethodGet, "/readyz", nil) }

func TestCheck(t *testing.T) {
	address, bundle, _ := listener(t, http.StatusOK)
	failing, failingBundle, _ := listener(t, http.StatusInternalServerError)
	good := certs.Endpoint{ServerName: "example.com", CABundle: bundle}
	with := func(change func(*certs.Endpoint)) certs.Endpoint {
		e := good
		change(&e)
		return e
	}
	tests := map[string]struct {
		address   string
		endpoints []certs.Endpoint
		err       error
		want      string // in the error; empty is ready
	}{
		"the call is answered":         {endpoints: []certs.Endpoint{good}},
		"all calls are answered":       {endpoints: []certs.Endpoint{good, good}},
		"one of them has another name": {endpoints: []certs.Endpoint{good, with(func(e *certs.Endpoint) { e.ServerName = "gati-webhook.gati-system.svc" })}, want: "gati-webhook.gati-system.svc"},
		"there is no CA":               {endpoints: []certs.Endpoint{with(func(e *certs.Endpoint) { e.CABundle = nil })}, want: "unknown authority"},
		"the CA is rubbish":            {endpoints: []certs.Endpoint{with(func(e *certs.Endpoint) { e.CABundle = []byte("x") })}, want: "cannot be read"},
		"nothing is installed":         {want: "apply the manifests"},
		"it cannot be read":            {err: errors.New("no route to host"), want: "no route to host"},
		"no listener":                  {address: "127.0.0.1:1", endpoints: []certs.Endpoint{good}, want: "refused"},
		"the answer is not 200":        {address: failing, endpoints: []certs.Endpoint{{ServerName: "example.com", CABundle: failingBundle}}, want: "500"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if tc.address == "" {
				tc.address = address
			}
			c, _ := checker(tc.address, &standing{endpoints: tc.endpoints, err: tc.err})
			failed := false
			c.options.Failed = func() { failed = true }
			err := c.Check(probe())
			if failed != (err != nil) {
				t.Errorf("Failed was called: %v, with error %v", failed, err)
			}
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestNoCallBeforeTheCachesAreFilled(t *testing.T) {
	s := &standing{}
	c, _ := checker("127.0.0.1:1", s)
	c.options.Synced = func() bool { return false }
	if err := c.Check(probe()); !errors.Is(err, errNotSynced) || s.reads > 0 {
		t.Errorf("got %v after %d reads, want %v after none", err, s.reads, errNotSynced)
	}
}

func TestDrainHoldsAtOnce(t *testing.T) {
	address, bundle, _ := listener(t, http.StatusOK)
	c, _ := checker(address, &standing{endpoints: []certs.Endpoint{{ServerName: "example.com", CABundle: bundle}}})
	if err := c.Check(probe()); err != nil {
		t.Fatal(err)
	}
	c.Drain()
	if err := c.Check(probe()); !errors.Is(err, errDraining) {
		t.Errorf("got %v from what was kept, want %v", err, errDraining)
	}
}

func TestAResultHoldsForAWhile(t *testing.T) {
	address, bundle, calls := listener(t, http.StatusOK)
	c, now := checker(address, &standing{endpoints: []certs.Endpoint{{ServerName: "example.com", CABundle: bundle}}})
	for range 10 {
		if err := c.Check(probe()); err != nil {
			t.Fatal(err)
		}
	}
	if *calls != 1 {
		t.Errorf("%d calls, want 1", *calls)
	}
	*now = now.Add(2 * time.Second)
	if err := c.Check(probe()); err != nil || *calls != 2 {
		t.Errorf("%d calls and error %v after a while, want 2", *calls, err)
	}
}

// If the API server is slow, all replicas would go out of service together, and
// add to its work when it calls the one that is left.
func TestASlowAPIServerLeavesTimeForTheCall(t *testing.T) {
	address, bundle, _ := listener(t, http.StatusOK)
	s := &standing{endpoints: []certs.Endpoint{{ServerName: "example.com", CABundle: bundle}}, slow: true}
	c, _ := checker(address, s)
	c.options.Timeout = 20 * time.Second // The call has half of it, and a busy machine takes its time.
	if err := c.Check(probe()); err != nil {
		t.Errorf("got %v, want ready", err)
	}
}
