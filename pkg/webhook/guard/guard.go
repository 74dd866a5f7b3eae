package guard

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/log"

	"gati.dev/gati/pkg/webhook/port"
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

// New returns the hook behind a guard. Its gauge exists before the first call, so that
// an alert can see the replica.
func New(hook http.Handler, o Options) http.Handler {
	o.Metrics.inFlight.WithLabelValues(o.Name).Set(0)
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

	r, cancel := withDeadline(r)
	defer cancel()
	if r.ContentLength > g.options.Limits.Body {
		c.verdict = verdictRefused
		http.Error(w, fmt.Sprintf("the review has %d bytes; at most %d are read", r.ContentLength, g.options.Limits.Body), http.StatusRequestEntityTooLarge)
		return
	}
	body, err := port.ReadBody(w, r, g.options.Limits.Body)
	if err != nil {
		c.verdict = verdictRefused
		refuseBody(w, err)
		return
	}
	r.Body = body
	release, ok := g.budget.acquire(r.Context(), port.Peer(r.RemoteAddr), body.Len())
	if !ok {
		c.verdict = verdictBusy
		g.options.Busy(w, r)
		return
	}
	defer release()
	port.Settle(r.Context())
	g.callHook(w, r, c)
}

// refuseBody answers a call whose body did not arrive.
func refuseBody(w http.ResponseWriter, err error) {
	status := http.StatusBadRequest
	if why, ok := errors.AsType[*port.BodyError](err); ok {
		status = why.Status
	}
	w.Header().Set("Connection", "close")
	http.Error(w, err.Error(), status)
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
	g.hook.ServeHTTP(status, r.WithContext(context.WithValue(r.Context(), callKey{}, c)))
	if c.verdict == "" {
		c.verdict = status.verdict()
	}
}

// statusWriter remembers the status, for hooks that do not describe their calls, and
// bounds how long a caller may take to read the answer: until then the call holds room.
type statusWriter struct {
	http.ResponseWriter
	status int
	begun  bool
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.begin()
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(p []byte) (int, error) {
	w.begin()
	return w.ResponseWriter.Write(p)
}

// begin sets the deadline of the answer once.
func (w *statusWriter) begin() {
	if !w.begun {
		w.begun = true
		// Only writers of tests have no deadlines.
		_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(answerTime))
	}
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
