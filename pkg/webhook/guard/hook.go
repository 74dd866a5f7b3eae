package guard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"golang.org/x/sync/semaphore"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

const (
	// maxTimeLimit bounds a call without a deadline of its caller. It is the API
	// server's own for conversion.
	maxTimeLimit = 30 * time.Second
	// answerMargin is left for the answer's way back.
	answerMargin = 500 * time.Millisecond
	// answerTime bounds the writing of an answer.
	answerTime = 10 * time.Second
	// retrySeconds is the Retry-After of a call for which there is no room.
	retrySeconds = 1
)

// Options configure the guard of a hook.
type Options struct {
	// Name is the hook's label in metrics.
	Name   string
	Limits Limits
	// Measure returns the part of a review that the hook has to read, and about how much
	// memory it takes, before any of it is decoded. With an error the review is refused.
	Measure func(review []byte) (rest []byte, memory int64, err error)
	// Refuse answers a review that is not given to the hook.
	Refuse  Refusal
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
	began, c := time.Now(), &callInfo{kind: otherLabel, operation: otherLabel, verdict: verdictRefused}
	inFlight := g.options.Metrics.inFlight.WithLabelValues(g.options.Name)
	inFlight.Inc()
	defer inFlight.Dec()
	defer func() { g.options.Metrics.observeCall(g.options.Name, c, began) }()

	ctx, cancel := context.WithTimeout(r.Context(), timeLimit(r.URL.Query().Get("timeout")))
	defer cancel()
	r = r.WithContext(ctx)
	arrived := &arrivedBody{}
	defer arrived.freePieces()
	if status, err := g.readBody(arrived, w, r); err != nil {
		w.Header().Set("Connection", "close")
		http.Error(w, err.Error(), status)
		return
	}
	review, rest, memory, err := g.measureReview(ctx, arrived)
	if err != nil {
		g.options.Refuse(w, review, apierrors.NewBadRequest(err.Error()).Status())
		return
	}
	release, ok := g.budget.acquire(ctx, peerOf(r.RemoteAddr), memory)
	if !ok {
		c.verdict = verdictBusy
		g.options.Refuse(w, review, apierrors.NewTooManyRequests(busyMessage, retrySeconds).Status())
		return
	}
	defer release()
	if a, ok := ctx.Value(arrivalKey{}).(arrival); ok {
		a.conn.beginWork()
	}
	r.Body = body{bytes.NewBuffer(rest)}
	g.callHook(w, r, c)
}

// measuring bounds the reviews that are measured at once, in bytes, of all hooks. One that
// waits for it is still counted by its port: when it is dropped there, its context ends.
var measuring = semaphore.NewWeighted(maxMeasured)

const maxMeasured = 24 << 20

// measureReview returns the whole review, the part that the hook reads, and the memory of
// that part.
func (g *guarded) measureReview(ctx context.Context, arrived *arrivedBody) (review, rest []byte, memory int64, err error) {
	weight := min(int64(arrived.length), maxMeasured)
	if err := measuring.Acquire(ctx, weight); err != nil {
		return nil, nil, 0, fmt.Errorf("the review could not be read in time: %w", err)
	}
	defer measuring.Release(weight)
	review = arrived.joinPieces()
	arrived.freePieces()
	rest, memory, err = g.options.Measure(review)
	return review, rest, memory, err
}

// readBody reads a body within the hook's limit and the time for it to arrive, or returns
// the status with which to answer.
func (g *guarded) readBody(into *arrivedBody, w http.ResponseWriter, r *http.Request) (status int, err error) {
	limit, patience := g.options.Limits.Body, arrivalTime
	if a, ok := r.Context().Value(arrivalKey{}).(arrival); ok {
		patience = a.patience
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(patience)) // Only writers of tests have no deadlines.
	err = into.readBody(http.MaxBytesReader(w, r.Body, limit))
	_, isLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case isLarge:
		return http.StatusRequestEntityTooLarge, fmt.Errorf("the review is larger than %d bytes, which is the most that is read", limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return http.StatusRequestTimeout, fmt.Errorf("the review did not arrive within %s", patience)
	case err != nil:
		return http.StatusBadRequest, fmt.Errorf("read the review: %w", err)
	}
	// A deadline that passes later would end the request's context.
	_ = control.SetReadDeadline(time.Time{})
	return 0, nil
}

// timeLimit returns the time for a call: the timeout that the API server names in the
// query, less a margin.
func timeLimit(text string) time.Duration {
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 || limit > maxTimeLimit {
		limit = maxTimeLimit
	}
	return limit - min(answerMargin, limit/4)
}

// callHook calls the hook. A panic is answered with an error and affects no other
// call.
func (g *guarded) callHook(w http.ResponseWriter, r *http.Request, c *callInfo) {
	c.verdict = ""
	answer := &answerWriter{ResponseWriter: w}
	defer func() {
		if p := recover(); p != nil {
			c.verdict = verdictPanic
			log.FromContext(r.Context()).Error(fmt.Errorf("%v", p), "a hook panicked", "hook", g.options.Name, "stack", string(debug.Stack()))
			http.Error(w, "internal error in gati-webhook; see its log", http.StatusInternalServerError)
		}
	}()
	g.hook.ServeHTTP(answer, r.WithContext(context.WithValue(r.Context(), callKey{}, c)))
	if c.verdict == "" {
		c.verdict = verdictOf(answer.status)
	}
}

// answerWriter remembers the status, for hooks that do not describe their calls, and
// bounds how long a caller may take to read the answer: until then the call holds room.
type answerWriter struct {
	http.ResponseWriter
	status int
}

func (w *answerWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
		// Only writers of tests have no deadlines.
		_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(answerTime))
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *answerWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(p)
}
