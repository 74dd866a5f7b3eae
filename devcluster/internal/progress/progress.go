// Package progress shows on a terminal or in a CI log that a long step is still running: a
// line at the start and one at a fixed interval until it ends.
//
// It must not know which steps there are.
package progress

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Interval is the longest silence during a step.
const Interval = 15 * time.Second

// Reporter writes progress lines. It is safe for concurrent use.
type Reporter struct {
	mu       sync.Mutex
	out      io.Writer
	interval time.Duration
}

// New returns a reporter that writes to out.
func New(out io.Writer) *Reporter { return &Reporter{out: out, interval: Interval} }

// Printf writes one line.
func (r *Reporter) Printf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.out, "devcluster: "+format+"\n", args...)
}

// Step announces a step that may take long and repeats what it is, with the
// time elapsed, until the returned function is called.
func (r *Reporter) Step(what string) (done func()) {
	r.Printf("%s", what)
	return r.Quiet(what)
}

// Quiet is Step without the announcement: for steps that are mostly too quick
// to be worth a line.
func (r *Reporter) Quiet(what string) (done func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		r.repeatLine(what, time.Now(), stop)
	}()
	return sync.OnceFunc(func() {
		close(stop)
		<-stopped
	})
}

func (r *Reporter) repeatLine(what string, start time.Time, stop <-chan struct{}) {
	ticker := time.NewTicker(r.interval)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
			r.Printf("%s: %s so far", what, time.Since(start).Round(time.Second))
		}
	}
}
