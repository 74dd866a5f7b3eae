// Package ready says whether gati-webhook would answer a call of the API
// server.
//
// A listening port is not enough: with a CA in the webhook configurations that
// did not sign the certificate, every call fails while the process is well. So
// a Checker makes the call itself, to its own listener, and trusts and expects
// exactly what the clientConfigs say at that moment.
//
// The package must not know how certificates come about or what a hook does.
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

// Endpoints are the clientConfigs of gati-webhook as they stand, or as they last
// stood while the API server cannot be asked.
type Endpoints interface {
	Endpoints(ctx context.Context) ([]certs.Endpoint, error)
}

// Options are what a Checker asks.
type Options struct {
	// Address is that of our own listener, such as 127.0.0.1:9443.
	Address string
	// Path is answered with 200 there.
	Path string
	// Endpoints says what callers trust.
	Endpoints Endpoints
	// Synced tells whether the caches that admission reads are filled.
	Synced func() bool
	// Failed, if set, is called after a call failed: somebody may be able to mend
	// it before it is checked the next time.
	Failed func()
	// Timeout bounds one check; half of it is for asking Endpoints. Zero is two
	// seconds.
	Timeout time.Duration
	// TTL is how long a result holds. Zero is a second.
	TTL time.Duration
}

// Checker is the readiness of one replica.
type Checker struct {
	options  Options
	now      func() time.Time
	draining atomic.Bool

	mu      sync.Mutex
	last    error
	expires time.Time
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

// Drain makes every later check fail: no new calls shall come.
func (c *Checker) Drain() { c.draining.Store(true) }

// Draining tells whether Drain was called.
func (c *Checker) Draining() bool { return c.draining.Load() }

var (
	errDraining  = errors.New("shutting down")
	errNotSynced = errors.New("the caches are not filled yet")
	errNobody    = errors.New("no webhook configuration or CRD names gati-webhook; apply the manifests")
)

// Check is a healthz.Checker.
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
		// Not the request's context: the result is for all who ask.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(request.Context()), c.options.Timeout)
		defer cancel()
		if c.last = c.call(ctx); c.last != nil && c.options.Failed != nil {
			c.options.Failed()
		}
		c.expires = c.now().Add(c.options.TTL)
	}
	return c.last
}

// call calls our own listener once for each different clientConfig.
func (c *Checker) call(ctx context.Context) error {
	endpoints, err := c.endpoints(ctx)
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
		if err := get(ctx, e, c.options.Address, c.options.Path); err != nil {
			return fmt.Errorf("a call as %s describes it, to %s, fails: %w", e.Target, e.ServerName, err)
		}
	}
	return nil
}

// endpoints reads the clientConfigs, and leaves time for the call: however slow
// the API server is, it does not make a good answer of ours a late one.
func (c *Checker) endpoints(ctx context.Context) ([]certs.Endpoint, error) {
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout/2)
	defer cancel()
	found, err := c.options.Endpoints.Endpoints(ctx)
	if err == nil && len(found) == 0 {
		err = errNobody
	}
	return found, err
}
