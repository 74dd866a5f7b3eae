package app

import (
	"math/rand"
	"net/http"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

// clockedServer answers after a while with its own time.
type clockedServer struct {
	local *clocktesting.FakePassiveClock
	ahead time.Duration
	delay func() (there, back time.Duration)
	mute  bool
}

func (s *clockedServer) RoundTrip(*http.Request) (*http.Response, error) {
	there, back := s.delay()
	s.local.SetTime(s.local.Now().Add(there))
	response := &http.Response{Header: http.Header{}}
	if !s.mute {
		response.Header.Set("Date", s.local.Now().Add(s.ahead).UTC().Format(http.TimeFormat))
	}
	s.local.SetTime(s.local.Now().Add(back))
	return response, nil
}

// Whatever the local clock says, after a few answers the time is the server's to
// within half the way there and back, or the second that its header is cut to.
func TestServerClockFollowsTheServer(t *testing.T) {
	for _, ahead := range []time.Duration{0, 5 * time.Minute, -5 * time.Minute, 24 * time.Hour, 300 * time.Millisecond} {
		random := rand.New(rand.NewSource(1))
		local := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC))
		s := &clockedServer{local: local, ahead: ahead, delay: func() (time.Duration, time.Duration) {
			return time.Duration(random.Intn(80)) * time.Millisecond, time.Duration(random.Intn(80)) * time.Millisecond
		}}
		c := newServerClock(local)
		if off := c.Now().Sub(local.Now()); off != 0 {
			t.Fatalf("without a server it is off by %v", off)
		}
		transport := c.Wrap(s)
		for i := range 200 {
			readClock(t, transport)
			if off := c.Now().Sub(local.Now().Add(ahead)).Abs(); off > 600*time.Millisecond {
				t.Fatalf("server ahead by %v: off by %v after %d answers", ahead, off, i+1)
			}
			local.SetTime(local.Now().Add(time.Duration(random.Intn(1500)) * time.Millisecond))
		}
		if off := c.Now().Sub(local.Now().Add(ahead)).Abs(); off > 100*time.Millisecond {
			t.Errorf("server ahead by %v: still off by %v", ahead, off)
		}
	}
}

// A server whose clock is set, or another one behind the same name, is believed
// at once. One that says nothing changes nothing.
func TestServerClockIsSet(t *testing.T) {
	local := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	s := &clockedServer{local: local, delay: func() (time.Duration, time.Duration) { return time.Millisecond, time.Millisecond }}
	c := newServerClock(local)
	transport := c.Wrap(s)
	for _, ahead := range []time.Duration{time.Minute, -time.Hour, 0} {
		s.ahead, s.mute = ahead, false
		readClock(t, transport)
		s.ahead, s.mute = 77*time.Hour, true
		readClock(t, transport)
		if off := c.Now().Sub(local.Now().Add(ahead)).Abs(); off > time.Second {
			t.Errorf("after it was set to %v it is off by %v", ahead, off)
		}
		if since := c.Since(local.Now().Add(ahead)); since.Abs() > time.Second {
			t.Errorf("now is %v ago", since)
		}
	}
}

// Answers of several servers whose clocks differ by a second do not let the time go back.
func TestClockOfSeveralServers(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	local := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	s := &clockedServer{local: local, delay: func() (time.Duration, time.Duration) { return time.Millisecond, time.Millisecond }}
	c := newServerClock(local)
	transport := c.Wrap(s)
	var last time.Time
	for i := range 500 {
		s.ahead = time.Duration(random.Intn(2)) * 1200 * time.Millisecond
		readClock(t, transport)
		now := c.Now()
		if now.Before(last) {
			t.Fatalf("answer %d: the time goes back by %s", i+1, last.Sub(now))
		}
		if off := now.Sub(local.Now()); off < -600*time.Millisecond || off > 1800*time.Millisecond {
			t.Fatalf("answer %d: off by %s", i+1, off)
		}
		last = now
		local.SetTime(local.Now().Add(time.Duration(random.Intn(1500)) * time.Millisecond))
	}
}

func readClock(t *testing.T, transport http.RoundTripper) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://server/", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	if response.Body != nil {
		_ = response.Body.Close()
	}
}
