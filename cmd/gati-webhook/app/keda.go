package app

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/signals"
)

// kedaConfig is the Prometheus as KEDA reaches it. The address may differ from ours, and
// the credentials are KEDA's own.
type kedaConfig struct {
	PrometheusURL             string
	Authentication, AuthModes string
}

// kedaAuthModes are the modes of authentication of KEDA's trigger prometheus.
var kedaAuthModes = []string{"basic", "bearer", "custom", "tls"}

// requestRate returns where KEDA reads the rate of requests. Metrics of a gateway have
// none: they count no pods.
func (c *config) requestRate() facts.RequestRate {
	server := cmp.Or(c.Keda.PrometheusURL, c.Prometheus.URL)
	query := signals.RateQuery(c.Prometheus, facts.PlaceNamespace, facts.PlacePods)
	if server == "" || query == "" {
		return facts.RequestRate{}
	}
	out := facts.RequestRate{Server: server, Query: query}
	if c.Keda.Authentication != "" {
		out.Authentication, out.AuthModes = c.Keda.Authentication, c.Keda.AuthModes
	}
	return out
}

// validateKeda rejects an address that KEDA cannot ask.
func (c *config) validateKeda() error {
	k := c.Keda
	if k.PrometheusURL != "" {
		switch u, err := url.Parse(k.PrometheusURL); {
		case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
			return errors.New("keda-prometheus-url must be an address such as http://prometheus.monitoring.svc:9090")
		case u.User != nil:
			return errors.New("keda-prometheus-url: credentials do not belong into the address; use keda-prometheus-authentication")
		}
	}
	for _, mode := range strings.Split(k.AuthModes, ",") {
		if !slices.Contains(kedaAuthModes, mode) {
			return fmt.Errorf("keda-prometheus-auth-modes: unknown mode %q; choose among %s", mode, strings.Join(kedaAuthModes, ", "))
		}
	}
	return nil
}
