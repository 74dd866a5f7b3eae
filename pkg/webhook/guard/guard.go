package guard

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/log"
)

// Options configure a guard.
type Options struct {
	// Name is the hook's label in metrics.
	Name   string
	Limits Limits
	// Busy answers a call for which there is no room.
	Busy    http.HandlerFunc
	Metrics *Metrics
}

// New returns the hook behind a guard.
func New(hook http.Handler, o Options) http.Handler {
	return &guarded{hook: hook, options: o, budget: newBudget(o.Limits)}
}

type guarded struct {
	hook    http.Handler
	options Options
	budget  *budget
}

// ServeHTTP implements http.Handler.
func (g *guarded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began, c := time.Now(), &callInfo{kind: otherLabel, operation: otherLabel}
	inFlight := g.options.Metrics.inFlight.WithLabelValues(g.options.Name)
	inFlight.Inc()
	defer inFlight.Dec()
	defer func() { g.options.Metrics.observeCall(g.options.Name, c, began) }()

	r, cancel := withDeadline(w, r)
	defer cancel()
	if r.ContentLength > g.options.Limits.Body {
		c.verdict = verdictRefused
		http.Error(w, fmt.Sprintf("the review has %d bytes; at most %d are read", r.ContentLength, g.options.Limits.Body), http.StatusRequestEntityTooLarge)
		return
	}
	release, ok := g.budget.acquire(r.Context(), r.ContentLength)
	if !ok {
		c.verdict = verdictBusy
		g.options.Busy(w, r)
		return
	}
	defer release()
	g.callHook(w, r, c)
}

// callHook calls the hook. A panic is answered with an error and affects no other
// call.
func (g *guarded) callHook(w http.ResponseWriter, r *http.Request, c *callInfo) {
	status := &statusWriter{ResponseWriter: w}
	defer func() {
		if p := recover(); p != nil {
			c.verdict = verdictPanic
			log.FromContext(r.Context()).Error(fmt.Errorf("%v", p), "a hook panicked", "hook", g.options.Name, "stack", string(debug.Stack()))
			http.Error(w, "internal error in gati-webhook; see its log", http.StatusInternalServerError)
		}
	}()
	r.Body = http.MaxBytesReader(w, r.Body, g.options.Limits.Body)
	g.hook.ServeHTTP(status, r.WithContext(context.WithValue(r.Context(), callKey{}, c)))
	if c.verdict == "" {
		c.verdict = status.verdict()
	}
}

// statusWriter remembers the status, for hooks that do not describe their calls.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap gives http.ResponseController access to the underlying writer.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *statusWriter) verdict() string {
	switch {
	case w.status >= http.StatusInternalServerError:
		return verdictError
	case w.status >= http.StatusBadRequest:
		return verdictRefused
	default:
		return verdictAllowed
	}
}
