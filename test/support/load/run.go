package load

import (
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// Target is a way to the handler.
type Target struct {
	// URL is where requests go; %d in it, if any, becomes a user's number.
	URL string
	// Host is the Host header, that of the URL when empty.
	Host string
	// Header is sent beside it.
	Header map[string]string
}

// Config says what to send.
type Config struct {
	// Targets get the same number of requests each.
	Targets []Target
	// Rate is how many requests a second are sent, whatever becomes of them.
	Rate int
	// Count bounds the requests. Stop may end a run before.
	Count int
	// Timeout is how long a request may take with its answer; 10 s unless set.
	Timeout time.Duration
	// Seed gives the order of requests; two runs with one seed send the same.
	Seed uint64
	// VersionHeader is the answer's header that names the version;
	// X-App-Version unless set.
	VersionHeader string
}

// Run is traffic under way.
type Run struct {
	config   Config
	attacker *vegeta.Attacker
	offered  atomic.Int64
	answered atomic.Int64
	failed   atomic.Int64
	done     chan struct{}
	report   Report
}

// Start begins to send and returns at once. Each run must be waited for or
// stopped.
func Start(c Config) (*Run, error) {
	if len(c.Targets) == 0 || c.Rate <= 0 || c.Count <= 0 {
		return nil, errors.New("a run needs targets, a rate and a count")
	}
	if c.Timeout == 0 {
		c.Timeout = 10 * time.Second
	}
	if c.VersionHeader == "" {
		c.VersionHeader = "X-App-Version"
	}
	transport := newTransport()
	r := &Run{config: c, done: make(chan struct{}), report: newReport(c)}
	r.attacker = vegeta.NewAttacker(vegeta.Client(&http.Client{
		Timeout: c.Timeout, Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}))
	pace := counted{vegeta.ConstantPacer{Freq: c.Rate, Per: time.Second}, uint64(c.Count)}
	results := r.attacker.Attack(r.next, pace, 0, "")
	go func() {
		defer close(r.done)
		defer transport.close()
		for result := range results {
			r.count(result)
		}
		r.report.Offered = int(r.offered.Load())
	}()
	return r, nil
}

// next is called once for each request, from many goroutines.
func (r *Run) next(target *vegeta.Target) error {
	number := uint64(r.offered.Add(1) - 1)
	r.config.request(number, target)
	return nil
}

func (r *Run) count(result *vegeta.Result) {
	if !r.report.add(result, r.config.VersionHeader) {
		r.failed.Add(1)
	}
	r.answered.Add(1)
}

// Progress tells how many requests have been answered, or have failed, so far.
func (r *Run) Progress() (done, failed int) {
	return int(r.answered.Load()), int(r.failed.Load())
}

// Wait returns once all requests are sent and answered.
func (r *Run) Wait() Report {
	<-r.done
	return r.report
}

// Stop sends no more, waits for what is under way, and returns the counts.
func (r *Run) Stop() Report {
	r.attacker.Stop()
	return r.Wait()
}

// counted is a pace that ends after a number of requests.
type counted struct {
	vegeta.Pacer
	limit uint64
}

func (c counted) Pace(elapsed time.Duration, hits uint64) (time.Duration, bool) {
	if hits >= c.limit {
		return 0, true
	}
	return c.Pacer.Pace(elapsed, hits)
}
