package observe

import (
	"net/http"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// resolution is that of the Date header.
const resolution = time.Second

// ServerClock tells the API server's time, so that replicas on machines whose
// clocks differ agree on when a pause is over. It reads the Date header of every
// response and goes on by the local monotonic clock in between. Before the first
// response it tells the local time.
type ServerClock struct {
	local clock.PassiveClock

	mu sync.Mutex
	// The server is ahead of us by something between least and most.
	least, most time.Duration
	known       bool
}

// NewServerClock returns a clock that has heard of no server yet.
func NewServerClock(local clock.PassiveClock) *ServerClock { return &ServerClock{local: local} }

// Now returns the server's time.
func (c *ServerClock) Now() time.Time { return c.local.Now().Add(c.ahead()) }

// Since returns how long ago a time of the server's clock is.
func (c *ServerClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// Wrap returns a transport that reads the time off every response.
func (c *ServerClock) Wrap(next http.RoundTripper) http.RoundTripper {
	return listening{next: next, clock: c}
}

// listening is a transport with an ear for the time.
type listening struct {
	next  http.RoundTripper
	clock *ServerClock
}

func (l listening) RoundTrip(r *http.Request) (*http.Response, error) {
	sent := l.clock.local.Now()
	response, err := l.next.RoundTrip(r)
	if err == nil {
		if date, bad := http.ParseTime(response.Header.Get("Date")); bad == nil {
			l.clock.heard(date, sent, l.clock.local.Now())
		}
	}
	return response, err
}

// WrappedRoundTripper lets client-go find the transport that can cancel.
func (l listening) WrappedRoundTripper() http.RoundTripper { return l.next }

// heard narrows down how far the server is ahead: it wrote the date, cut off to
// the second, after we sent and before we received. A date that contradicts what
// was known means that a clock was set, or has drifted: it counts alone.
func (c *ServerClock) heard(date, sent, received time.Time) {
	least, most := date.Sub(received), date.Add(resolution).Sub(sent)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known && least <= c.most && most >= c.least {
		least, most = max(least, c.least), min(most, c.most)
	}
	c.least, c.most, c.known = least, most, true
}

// ahead returns the middle of what is possible.
func (c *ServerClock) ahead() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.least + (c.most-c.least)/2
}
