package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/schema"
	"gati.dev/gati/pkg/serverclock"
	"gati.dev/gati/pkg/webhook/guard"
	"gati.dev/gati/pkg/webhook/ready"
)

// shutdownTimeout bounds how long work may take to finish. With shutdown-delay it
// must stay below the pod's grace period.
const shutdownTimeout = 20 * time.Second

// app is the assembled process, not yet started.
type app struct {
	manager ctrl.Manager
	ready   *ready.Checker
}

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(s))
	utilruntime.Must(apiextensions.AddToScheme(s))
	utilruntime.Must(gatewayv1.Install(s))
	utilruntime.Must(v1.AddToScheme(s))
	return s
}

func newApp(c *config, log logr.Logger) (*app, error) {
	r, err := restConfig(c)
	if err != nil {
		return nil, err
	}
	now := serverclock.New(clock.RealClock{})
	r.Wrap(now.Wrap)
	scheme := newScheme()
	direct, err := client.NewWithWatch(r, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("make a client of %s: %w", r.Host, err)
	}
	parts, err := newCertificates(c, direct, log.WithName("certs"))
	if err != nil {
		return nil, err
	}
	var synced func() bool // set before anything runs
	checker := ready.New(ready.Options{
		Address:   listenerAddress(c),
		Path:      pathHealth,
		Endpoints: parts.live,
		Synced:    func() bool { return synced() },
		Failed:    parts.republishCA,
	})
	server, err := newServer(c, parts.source.GetCertificate, checker.Draining, log, parts.runnables()...)
	if err != nil {
		return nil, err
	}
	mgr, err := newManager(c, r, scheme, server, metricsOptions(c, parts.source.GetCertificate), log)
	if err != nil {
		return nil, err
	}
	if synced, err = startInformers(context.Background(), mgr.GetCache()); err != nil {
		return nil, err
	}
	if err := addParts(mgr, c, r, now, checker); err != nil {
		return nil, err
	}
	return &app{manager: mgr, ready: checker}, nil
}

func newManager(c *config, r *rest.Config, scheme *runtime.Scheme, s *server, metrics metricsserver.Options, log logr.Logger) (ctrl.Manager, error) {
	grace := shutdownTimeout
	mgr, err := ctrl.NewManager(r, ctrl.Options{
		Scheme:                  scheme,
		Logger:                  log,
		Cache:                   cacheOptions(),
		WebhookServer:           s,
		Metrics:                 metrics,
		HealthProbeBindAddress:  c.HealthBindAddress,
		GracefulShutdownTimeout: &grace,
	})
	if err != nil {
		return nil, fmt.Errorf("make the manager: %w", err)
	}
	return mgr, nil
}

// addParts adds the checks, hooks and controllers to the manager.
func addParts(mgr ctrl.Manager, c *config, r *rest.Config, now clock.PassiveClock, checker *ready.Checker) error {
	calls := guard.NewMetrics()
	if err := errors.Join(metrics.Registry.Register(buildInfo()), metrics.Registry.Register(calls)); err != nil {
		return err
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	if err := mgr.AddReadyzCheck("call", checker.Check); err != nil {
		return err
	}
	// The manager runs the server once it has been asked for.
	mgr.GetWebhookServer()
	cached, err := newIndexedClient(mgr)
	if err != nil {
		return err
	}
	discover, err := discovery.NewDiscoveryClientForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return fmt.Errorf("make a discovery client: %w", err)
	}
	served := newAPIs(discover.ServerResourcesForGroupVersion)
	if err := mgr.Add(served); err != nil {
		return err
	}
	schemas := &schema.Cache{}
	d := dependencies{
		cached:   cached,
		judge:    &compat.Judge{Read: schemas.Parse},
		pipeline: admit.Pipeline{Read: schemas.Parse},
		config:   c,
		apis:     served,
		calls:    calls,
		clock:    now,
	}
	if err := registerWebhooks(mgr, d); err != nil {
		return fmt.Errorf("register the hooks: %w", err)
	}
	register, err := newRegistration(mgr, d)
	if err != nil {
		return fmt.Errorf("index what the controllers read: %w", err)
	}
	lead, err := newLeader(mgr, c, r, register)
	if err != nil {
		return err
	}
	return mgr.Add(lead)
}
