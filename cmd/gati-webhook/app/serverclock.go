package app

import (
	"net/http"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// dateResolution is that of the Date header.
const dateResolution = time.Second

// serverClock returns the API server's time: replicas on machines whose clocks differ have
// to agree on when a pause is over. It reads the Date header of every response and uses the
// local monotonic clock in between. Before the first response it has the local time.
type serverClock struct {
	local clock.PassiveClock

	mu sync.Mutex
	// The server is ahead of us by something between least and most.
	least, most time.Duration
	known       bool
	// last is the latest time that Now has returned.
	last time.Time
}

// newServerClock returns a clock that has heard of no server yet.
func newServerClock(local clock.PassiveClock) *serverClock { return &serverClock{local: local} }

// maxStandstill is by how much the clocks of several API servers behind one address may
// differ. Where answers alternate between them, the time goes by the one ahead.
const maxStandstill = 3 * time.Second

// Now returns the server's time. It does not go back by less than maxStandstill; it
// stands still until the server's time has caught up.
func (c *serverClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.local.Now().Add(c.least + (c.most-c.least)/2)
	if back := c.last.Sub(now); back > 0 && back <= maxStandstill {
		return c.last
	}
	c.last = now
	return now
}

// Since returns how long ago a time of the server's clock is.
func (c *serverClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// Wrap returns a transport that reads the time off every response.
func (c *serverClock) Wrap(next http.RoundTripper) http.RoundTripper {
	return dateReader{next: next, clock: c}
}

// dateReader reads the time off responses.
type dateReader struct {
	next  http.RoundTripper
	clock *serverClock
}

func (t dateReader) RoundTrip(r *http.Request) (*http.Response, error) {
	sent := t.clock.local.Now()
	response, err := t.next.RoundTrip(r)
	if err == nil {
		if date, bad := http.ParseTime(response.Header.Get("Date")); bad == nil {
			t.clock.narrowOffset(date, sent, t.clock.local.Now())
		}
	}
	return response, err
}

// WrappedRoundTripper lets client-go find the transport that can cancel.
func (t dateReader) WrappedRoundTripper() http.RoundTripper { return t.next }

// narrowOffset narrows the range of the server's offset: it wrote the date, cut off to the
// second, after we sent and before we received. A date outside of the known range means
// that a clock was set, or has drifted: the range starts again from it.
func (c *serverClock) narrowOffset(date, sent, received time.Time) {
	least, most := date.Sub(received), date.Add(dateResolution).Sub(sent)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known && least <= c.most && most >= c.least {
		least, most = max(least, c.least), min(most, c.most)
	}
	c.least, c.most, c.known = least, most, true
}
