// Package ready checks whether gati-webhook would answer a call of the API server.
//
// A listening port is not enough: with a CA in the webhook configurations that did
// not sign the certificate, every call fails while the process is healthy. So a
// Checker calls its own listener with exactly the server name and CA of the current
// clientConfigs.
//
// The package must not know how certificates are made or what a hook does.
package ready

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"gati.dev/gati/pkg/webhook/certs"
)

// Endpoints returns the current clientConfigs of gati-webhook, or the last ones
// known while the API server does not answer.
type Endpoints interface {
	Endpoints(ctx context.Context) ([]certs.Endpoint, error)
}

// Options configure a Checker.
type Options struct {
	// Address is the address of our own listener, such as 127.0.0.1:9443.
	Address string
	// Path is a path that the listener answers with 200.
	Path string
	// Endpoints has what callers expect and trust.
	Endpoints Endpoints
	// Synced reports whether the caches that admission reads are filled.
	Synced func() bool
	// Failed, if set, is called after a failed call, so that the cause can be
	// repaired before the next check.
	Failed func()
	// Timeout bounds one check; half of it is for reading the Endpoints. Two
	// seconds if zero.
	Timeout time.Duration
	// TTL is how long a result is valid; one second if zero.
	TTL time.Duration
}

// Checker checks the readiness of one replica.
type Checker struct {
	options  Options
	now      func() time.Time
	draining atomic.Bool

	mu        sync.Mutex
	lastError error
	expires   time.Time
}

// New returns a Checker.
func New(o Options) *Checker {
	if o.Timeout == 0 {
		o.Timeout = 2 * time.Second
	}
	if o.TTL == 0 {
		o.TTL = time.Second
	}
	return &Checker{options: o, now: time.Now}
}

// Drain makes every later check fail, so that no new calls arrive.
func (c *Checker) Drain() { c.draining.Store(true) }

// Draining reports whether Drain was called.
func (c *Checker) Draining() bool { return c.draining.Load() }

var (
	errDraining    = errors.New("shutting down")
	errNotSynced   = errors.New("the caches are not filled yet")
	errNoEndpoints = errors.New("no webhook configuration or CRD names gati-webhook; apply the manifests")
)

// Check implements healthz.Checker.
func (c *Checker) Check(request *http.Request) error {
	if c.Draining() {
		return errDraining
	}
	if !c.options.Synced() {
		return errNotSynced
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.now(); now.After(c.expires) {
		// Not the request's context: the result serves all requests.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(request.Context()), c.options.Timeout)
		defer cancel()
		if c.lastError = c.callListener(ctx); c.lastError != nil && c.options.Failed != nil {
			c.options.Failed()
		}
		c.expires = c.now().Add(c.options.TTL)
	}
	return c.lastError
}

// callListener calls our own listener once for each distinct clientConfig.
func (c *Checker) callListener(ctx context.Context) error {
	endpoints, err := c.readEndpoints(ctx)
	if err != nil {
		return err
	}
	tried := map[string]bool{}
	for _, e := range endpoints {
		key := e.ServerName + "\n" + string(e.CABundle)
		if tried[key] {
			continue
		}
		tried[key] = true
		if err := callEndpoint(ctx, e, c.options.Address, c.options.Path); err != nil {
			return fmt.Errorf("a call with the clientConfig of %s to %s failed: %w", e.Target, e.ServerName, err)
		}
	}
	return nil
}

// readEndpoints reads the clientConfigs and leaves time for the call: a slow API
// server must not make the answer late.
func (c *Checker) readEndpoints(ctx context.Context) ([]certs.Endpoint, error) {
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout/2)
	defer cancel()
	found, err := c.options.Endpoints.Endpoints(ctx)
	if err == nil && len(found) == 0 {
		err = errNoEndpoints
	}
	return found, err
}
