package guard

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
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
