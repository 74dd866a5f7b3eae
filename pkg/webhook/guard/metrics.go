package guard

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// buckets range from half a millisecond to the deadline of validation. The default
// ones grow tenfold, which is too coarse for percentiles.
var buckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5}

// Metrics are the metrics of all hooks. No label holds the name of an object or a
// user.
type Metrics struct {
	seconds  *prometheus.HistogramVec
	inFlight *prometheus.GaugeVec
}

// NewMetrics returns metrics to be registered.
func NewMetrics() *Metrics {
	return &Metrics{
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "gati_webhook_call_duration_seconds",
			Help:    "Duration of calls of the hooks, from the first byte of the request to the answer, including the wait for room. verdict is allowed, refused, busy, error or panic; for conversion allowed means converted.",
			Buckets: buckets,
		}, []string{"hook", "kind", "operation", "verdict"}),
		inFlight: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "gati_webhook_calls_in_flight",
			Help: "Calls of a hook in work or waiting for room.",
		}, []string{"hook"}),
	}
}

var _ prometheus.Collector = (*Metrics)(nil)

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(out chan<- *prometheus.Desc) {
	m.seconds.Describe(out)
	m.inFlight.Describe(out)
}

// Collect implements prometheus.Collector.
func (m *Metrics) Collect(out chan<- prometheus.Metric) {
	m.seconds.Collect(out)
	m.inFlight.Collect(out)
}

func (m *Metrics) observeCall(hook string, c *callInfo, began time.Time) {
	m.seconds.WithLabelValues(hook, c.kind, c.operation, c.verdict).Observe(time.Since(began).Seconds())
}

// Verdicts are the values of the metric's label verdict.
const (
	verdictAllowed = "allowed"
	verdictRefused = "refused"
	verdictBusy    = "busy"
	verdictError   = "error"
	verdictPanic   = "panic"
)

// otherLabel replaces label values that clients could choose freely.
const otherLabel = "other"

var (
	kinds      = []string{"GatiHandler", "GatiModule", "GatiVersion"}
	operations = []string{"CREATE", "UPDATE", "DELETE"}
)

// callInfo describes one call for the metrics. The hook fills it in the goroutine
// that serves the call.
type callInfo struct{ kind, operation, verdict string }

type callKey struct{}

func knownOr(text string, all []string) string {
	if slices.Contains(all, text) {
		return text
	}
	return otherLabel
}

// DescribeCalls wraps an admission handler so that each call reports its kind,
// operation and verdict to the guard in front.
func DescribeCalls(h admission.Handler) admission.Handler {
	return admission.HandlerFunc(func(ctx context.Context, req admission.Request) admission.Response {
		c, isGuarded := ctx.Value(callKey{}).(*callInfo)
		if !isGuarded {
			return h.Handle(ctx, req)
		}
		c.kind, c.operation = knownOr(req.Kind.Kind, kinds), knownOr(string(req.Operation), operations)
		c.verdict = verdictPanic // unless Handle returns
		answer := h.Handle(ctx, req)
		c.verdict = verdictFor(answer)
		return answer
	})
}

func verdictFor(answer admission.Response) string {
	switch {
	case answer.Allowed:
		return verdictAllowed
	case answer.Result != nil && answer.Result.Code >= http.StatusInternalServerError:
		return verdictError
	default:
		return verdictRefused
	}
}

// verdictOf returns the verdict of a hook that does not describe its calls.
func verdictOf(status int) string {
	switch {
	case status >= http.StatusInternalServerError:
		return verdictError
	case status >= http.StatusBadRequest:
		return verdictRefused
	default:
		return verdictAllowed
	}
}
