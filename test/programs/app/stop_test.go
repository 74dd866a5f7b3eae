package app

import (
	"strings"
	"syscall"
	"testing"
)

// TestSIGTERMFinishesWhatIsUnderWay holds that a request of three seconds is
// answered in full, and the process ends well after it.
func TestSIGTERMFinishesWhatIsUnderWay(t *testing.T) {
	p := startProgram(t, handler)
	type result struct {
		answer
		err error
	}
	results := make(chan result, 2)
	for _, body := range []string{"", `{"note":"x"}`} {
		go func() {
			a, err := p.sendRequest("/users/1?latency=3s", body)
			results <- result{a, err}
		}()
	}
	awaitCondition(t, "both requests are under way", func() bool { return readSeries(t, p)["gati_active_connections"] == 3 })
	p.sendSignal(syscall.SIGTERM)
	for range 2 {
		r := <-results
		if r.err != nil || r.status != 200 || !strings.Contains(r.body, "Lovelace") {
			t.Errorf("got %d %s, error %v", r.status, r.body, r.err)
		}
	}
	if code := p.awaitEnd(); code != 0 {
		t.Errorf("it ended with %d", code)
	}
}

// TestSIGTERMServesOpenConnections holds that a client which sends on its open
// connection is served after the signal, is told to go elsewhere, and that new
// connections are taken as long as there are old ones.
func TestSIGTERMServesOpenConnections(t *testing.T) {
	p := startProgram(t, handler, "SAMPLE_LAME_DUCK=10m")
	c := p.openConnection()
	if a := c.postAndRead("/users/1"); a.status != 200 || a.last {
		t.Fatalf("before the signal: %d, connection closes: %v", a.status, a.last)
	}
	p.sendSignal(syscall.SIGTERM)
	awaitCondition(t, "the signal is noticed", func() bool { return strings.Contains(p.log.String(), "SIGTERM") })
	p.mustGet("/health", 200)
	p.mustGet("/users/1", 200)
	if a := c.postAndRead("/users/1"); a.status != 200 || !a.last {
		t.Errorf("after the signal: %d, connection closes: %v", a.status, a.last)
	}
	// With no connection left it waits no longer, or this would take ten minutes.
	if code := p.awaitEnd(); code != 0 {
		t.Errorf("it ended with %d", code)
	}
}

// TestSIGTERMTellsThoseUnderWay holds that the answer of a request which came
// before the signal is the last of its connection.
func TestSIGTERMTellsThoseUnderWay(t *testing.T) {
	p := startProgram(t, handler, "SAMPLE_LAME_DUCK=10m")
	c := p.openConnection()
	c.sendRequest("/users/1?latency=2s")
	awaitCondition(t, "the request is under way", func() bool { return readSeries(t, p)["gati_active_connections"] == 2 })
	p.sendSignal(syscall.SIGTERM)
	if a := c.receiveAnswer(); a.status != 200 || !a.last {
		t.Errorf("got %d, connection closes: %v", a.status, a.last)
	}
	if code := p.awaitEnd(); code != 0 {
		t.Errorf("it ended with %d", code)
	}
}

// TestSIGTERMClosesIdleConnections holds that one that says nothing does not keep
// the process.
func TestSIGTERMClosesIdleConnections(t *testing.T) {
	p := startProgram(t, handler)
	p.openConnection().postAndRead("/users/1")
	p.sendSignal(syscall.SIGTERM)
	if code := p.awaitEnd(); code != 0 {
		t.Errorf("it ended with %d", code)
	}
}

func TestSIGTERMWhileStarting(t *testing.T) {
	p := launchProgram(t, []string{handler}, "SAMPLE_START_DELAY=50s")
	awaitCondition(t, "it waits", func() bool { return strings.Contains(p.log.String(), "starts in 50000 ms") })
	p.sendSignal(syscall.SIGTERM)
	if code := p.awaitEnd(); code != 0 {
		t.Errorf("it ended with %d", code)
	}
}
