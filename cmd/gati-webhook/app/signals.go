package app

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"gati.dev/gati/pkg/controller/handler"
	"gati.dev/gati/pkg/signals"
)

// podTimeout bounds the time of a pod to return its metrics.
const podTimeout = 3 * time.Second

// newHub returns the hub with the sources that the operator configured, maybe none.
func newHub(mgr ctrl.Manager, d dependencies, measured chan<- event.GenericEvent) (*signals.Hub, error) {
	var sources []signals.Source
	pods := signals.NewPods(podTimeout, d.clock)
	if d.config.Prometheus.URL != "" {
		p, err := signals.NewPrometheus(d.config.Prometheus, d.clock)
		if err != nil {
			return nil, err
		}
		sources = append(sources, p)
	}
	if d.config.PodMetrics {
		sources = append(sources, pods)
	}
	hub := signals.NewHub(d.clock, handler.Measured(measured), sources...)
	if d.config.TransformerEvidence == evidenceReported {
		hub.ReadReportsWith(pods)
	}
	// The hub of an earlier term as leader has the same figures.
	metrics.Registry.Unregister(hub)
	if err := metrics.Registry.Register(hub); err != nil {
		return nil, err
	}
	return hub, mgr.Add(hub)
}

// scrapeInterval returns how often the Prometheus that measures traffic reads the metrics, zero
// without one.
func (c *config) scrapeInterval() time.Duration {
	if c.Prometheus.URL == "" {
		return 0
	}
	return c.Prometheus.ScrapeInterval
}

// The values of transformer-evidence.
const (
	evidenceReported = "reported"
	evidenceDeclared = "declared"
)

// validateSignals rejects sources that cannot be asked.
func (c *config) validateSignals() error {
	if e := c.TransformerEvidence; e != evidenceReported && e != evidenceDeclared {
		return fmt.Errorf("transformer-evidence must be %s or %s, not %q", evidenceReported, evidenceDeclared, e)
	}
	if c.Prometheus.URL == "" {
		return nil
	}
	return validatePrometheus(c.Prometheus)
}

// validatePrometheus rejects a Prometheus that cannot be queried.
func validatePrometheus(p signals.PrometheusConfig) error {
	switch u, err := url.Parse(p.URL); {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("prometheus-url must be an address such as http://prometheus.monitoring.svc:9090")
	case u.User != nil:
		return errors.New("prometheus-url: credentials do not belong into the address; use prometheus-user and prometheus-password-file")
	}
	if _, err := signals.FindSet(p.Metrics); err != nil {
		return fmt.Errorf("prometheus-metrics: %w", err)
	}
	switch {
	case p.Timeout <= 0, p.Limit <= 0, p.ScrapeInterval <= 0:
		return errors.New("prometheus-timeout, prometheus-answer-limit and prometheus-scrape-interval must be above zero")
	case p.NamespaceLabel == "" || p.PodLabel == "":
		return errors.New("prometheus-namespace-label and prometheus-pod-label must not be empty")
	case (p.User == "") != (p.PasswordFile == ""):
		return errors.New("prometheus-user and prometheus-password-file belong together")
	case p.User != "" && p.TokenFile != "":
		return errors.New("prometheus-token-file and prometheus-user exclude each other")
	}
	return nil
}
