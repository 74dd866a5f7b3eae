package load

import (
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
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
	// Every is the time between two requests, where Rate is not set.
	Every time.Duration
	// Count bounds the requests. Stop may end a run before.
	Count int
	// Timeout is how long a request may take with its answer; 10 s unless set.
	Timeout time.Duration
	// Seed gives the order of requests; two runs with one seed send the same.
	Seed uint64
	// Body returns the body of a request that has one, by its number; a note of random
	// length unless set.
	Body func(number uint64) []byte
	// ReadOnly makes every request a GET.
	ReadOnly bool
	// Check returns what is wrong with the body of a successful answer, which is then a
	// failure; nothing is unless set.
	Check func(body []byte) error
	// VersionHeader is the answer's header that names the version;
	// X-App-Version unless set.
	VersionHeader string
}

// Run is traffic under way.
type Run struct {
	config   Config
	client   *http.Client
	answered atomic.Int64
	failed   atomic.Int64
	stop     chan struct{}
	stopOnce sync.Once
	done     chan struct{}
	report   Report
}

// Start begins to send and returns at once. Each run must be waited for or
// stopped.
func Start(c Config) (*Run, error) {
	if len(c.Targets) == 0 || c.Rate <= 0 && c.Every <= 0 || c.Count <= 0 {
		return nil, errors.New("a run needs targets, a rate and a count")
	}
	if c.Timeout == 0 {
		c.Timeout = 10 * time.Second
	}
	if c.VersionHeader == "" {
		c.VersionHeader = "X-App-Version"
	}
	transport := newTransport()
	r := &Run{config: c, stop: make(chan struct{}), done: make(chan struct{}), report: newReport(c)}
	r.client = &http.Client{
		Timeout: c.Timeout, Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	results := make(chan result)
	go r.sendAll(results)
	go func() {
		defer close(r.done)
		defer transport.close()
		for result := range results {
			r.countResult(result)
		}
	}()
	return r, nil
}

// sendAll sends each request when it is due. The results end once all are answered.
func (r *Run) sendAll(results chan<- result) {
	var under sync.WaitGroup
	defer close(results)
	defer under.Wait()
	began := time.Now()
	for number := range r.config.Count {
		due := began.Add(r.config.timeOf(number))
		if !r.waitUntil(due) {
			return
		}
		r.report.Offered++
		under.Go(func() { results <- sendRequest(r.client, r.config.newRequest(uint64(number)), r.config.Check) })
	}
}

// timeOf returns when a request is sent, from the start of the run.
func (c Config) timeOf(number int) time.Duration {
	if c.Rate > 0 {
		return time.Duration(number) * time.Second / time.Duration(c.Rate)
	}
	return time.Duration(number) * c.Every
}

// waitUntil returns when a time has come, false where the run was stopped before.
func (r *Run) waitUntil(due time.Time) bool {
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	select {
	case <-r.stop:
		return false
	case <-timer.C:
		return true
	}
}

func (r *Run) countResult(result result) {
	if !r.report.addResult(result, r.config.VersionHeader) {
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
	r.stopOnce.Do(func() { close(r.stop) })
	return r.Wait()
}
