package metrics

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"

	v1 "gati.dev/gati/api/v1"
)

// patience bounds a listing: a scrape waits for it. Lists come from a cache.
const patience = 5 * time.Second

// gathered reports whether somebody gathers at all, also where there is no handler.
var gathered = prometheus.NewDesc("gati_handlers_gathered", "Handlers of which the other series tell. Absent where no replica leads.", nil, nil)

// Handlers gathers the series of all handlers when it is asked.
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
	out <- gathered
	for _, g := range gauges {
		out <- g.desc
	}
}

// Collect implements prometheus.Collector. When handlers cannot be listed, the scrape
// fails with the reason: an alert on what is missing must not mistake it for peace.
func (c *Handlers) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	handlers, err := c.list(ctx)
	if err != nil {
		out <- prometheus.NewInvalidMetric(gathered, fmt.Errorf("list the handlers: %w", err))
		return
	}
	out <- prometheus.MustNewConstMetric(gathered, prometheus.GaugeValue, float64(len(handlers)))
	for i := range handlers {
		h := &handlers[i]
		for _, g := range gauges {
			if value, told := g.of(h); told {
				out <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, value, h.Namespace, h.Name)
			}
		}
	}
}

// gauge is one series of a handler.
type gauge struct {
	desc *prometheus.Desc
	// of is the value, and whether there is one.
	of func(*v1.GatiHandler) (float64, bool)
}

func newGauge(name, help string, of func(*v1.GatiHandler) (float64, bool)) gauge {
	return gauge{prometheus.NewDesc("gati_handler_"+name, help, []string{"namespace", "name"}, nil), of}
}

func condition(kind string) func(*v1.GatiHandler) (float64, bool) {
	return func(h *v1.GatiHandler) (float64, bool) {
		return flag(meta.IsStatusConditionTrue(h.Status.Conditions, kind)), true
	}
}

func flag(on bool) float64 {
	if on {
		return 1
	}
	return 0
}
