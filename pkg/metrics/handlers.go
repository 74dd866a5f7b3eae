package metrics

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"

	v1 "gati.dev/gati/api/v1"
)

// listTimeout bounds a list, which a scrape waits for. Lists come from a cache.
const listTimeout = 5 * time.Second

// gatheredDesc is the number of handlers, exported also when it is zero.
var gatheredDesc = prometheus.NewDesc("gati_handlers_gathered", "Handlers covered by the other series. Absent while no replica leads.", nil, nil)

// Handlers is a collector of the series of all handlers.
type Handlers struct {
	list func(context.Context) ([]v1.GatiHandler, error)
}

var _ prometheus.Collector = (*Handlers)(nil)

// NewHandlers returns a collector over what list returns.
func NewHandlers(list func(context.Context) ([]v1.GatiHandler, error)) *Handlers {
	return &Handlers{list: list}
}

// Describe implements prometheus.Collector.
func (c *Handlers) Describe(out chan<- *prometheus.Desc) {
	out <- gatheredDesc
	for _, g := range gauges {
		out <- g.desc
	}
}

// Collect implements prometheus.Collector. If handlers cannot be listed the scrape
// fails, so that missing series are not mistaken for a healthy state.
func (c *Handlers) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), listTimeout)
	defer cancel()
	handlers, err := c.list(ctx)
	if err != nil {
		out <- prometheus.NewInvalidMetric(gatheredDesc, fmt.Errorf("list the handlers: %w", err))
		return
	}
	out <- prometheus.MustNewConstMetric(gatheredDesc, prometheus.GaugeValue, float64(len(handlers)))
	for i := range handlers {
		h := &handlers[i]
		for _, g := range gauges {
			if value, known := g.value(h); known {
				out <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, value, h.Namespace, h.Name)
			}
		}
	}
}

// gauge is one series of a handler.
type gauge struct {
	desc *prometheus.Desc
	// value returns the value, and whether there is one.
	value func(*v1.GatiHandler) (float64, bool)
}

func newGauge(name, help string, of func(*v1.GatiHandler) (float64, bool)) gauge {
	return gauge{prometheus.NewDesc("gati_handler_"+name, help, []string{"namespace", "name"}, nil), of}
}

func conditionIsTrue(kind string) func(*v1.GatiHandler) (float64, bool) {
	return func(h *v1.GatiHandler) (float64, bool) {
		return boolValue(meta.IsStatusConditionTrue(h.Status.Conditions, kind)), true
	}
}

func boolValue(on bool) float64 {
	if on {
		return 1
	}
	return 0
}
