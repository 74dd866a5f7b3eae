package app

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/pprof"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"gati.dev/gati/pkg/metrics/access"
	"gati.dev/gati/pkg/webhook/guard"
)

const (
	// off is the address of a port that is not served.
	off = "0"
	// listenerRoom is the memory of callers of a port other than that of the hooks, in
	// bytes: their requests have a header only.
	listenerRoom = 8 * mib
)

// addListeners adds the ports beside that of the hooks: metrics, probes and profiles. They
// are served from the start, before any cache is filled.
func (a *app) addListeners(c *config, log logr.Logger) error {
	figures, err := a.newMetricsHandler(log)
	if err != nil {
		return err
	}
	for _, server := range []*guard.Server{
		{Name: "metrics", Address: c.MetricsBindAddress, Handler: figures, TLS: &tls.Config{GetCertificate: a.serving.GetCertificate}},
		{Name: "probes", Address: c.HealthBindAddress, Handler: newProbeHandler(a.readiness)},
		{Name: "profiles", Address: c.PprofBindAddress, Handler: newProfileHandler()},
	} {
		if server.Address != off && server.Address != "" {
			server.Room, server.Log = listenerRoom, log.WithName("port")
			a.early = append(a.early, server)
		}
	}
	return nil
}

// newMetricsHandler serves metrics to those whom the API server lets read them: their
// labels name handlers of all tenants.
func (a *app) newMetricsHandler(log logr.Logger) (http.Handler, error) {
	mgr := a.managers[0]
	reviews, err := client.New(mgr.GetConfig(), client.Options{HTTPClient: mgr.GetHTTPClient(), Scheme: mgr.GetScheme()})
	if err != nil {
		return nil, fmt.Errorf("make a client for the callers of metrics: %w", err)
	}
	all := promhttp.HandlerFor(metrics.Registry, promhttp.HandlerOpts{ErrorHandling: promhttp.HTTPErrorOnError})
	allowed, err := access.New(reviews).Filter(log.WithName("metrics"), all)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", allowed)
	return mux, nil
}

func newProbeHandler(readiness map[string]healthz.Checker) http.Handler {
	mux := http.NewServeMux()
	for path, checks := range map[string]map[string]healthz.Checker{"/healthz": nil, "/readyz": readiness} {
		probe := http.StripPrefix(path, &healthz.Handler{Checks: checks})
		mux.Handle(path, probe)
		mux.Handle(path+"/", probe)
	}
	return mux
}

func newProfileHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}
