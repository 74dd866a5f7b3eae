package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/sync/errgroup"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apischema "k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/compat"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
	"gati.dev/gati/pkg/schema"
	"gati.dev/gati/pkg/tracing"
	"gati.dev/gati/pkg/webhook/certs"
	"gati.dev/gati/pkg/webhook/ready"
)

// shutdownTimeout bounds how long work may take to finish. With shutdown-delay it
// must stay below the pod's grace period.
const shutdownTimeout = 20 * time.Second

// exitMargin is the time that the managers have beyond it to come back.
const exitMargin = 2 * time.Second

// app is the assembled process, not yet started: the hooks, the controllers or both.
// Each has a manager of its own, because each has an account of its own.
type app struct {
	managers []ctrl.Manager
	// early runs beside the managers: it has to work before their caches are filled,
	// because listing objects for a cache may need conversion.
	early []manager.Runnable
	// ready checks the hooks; nil without them.
	ready *ready.Checker
	// readiness has the checks of the first role, and serving its certificate.
	readiness map[string]healthz.Checker
	serving   certs.Source
	// tracer exports traces; nil is off.
	tracer *tracing.Tracer
}

// run runs everything until the context ends or a part fails.
func (a *app) run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return newMemoryReturner().Start(ctx) })
	for _, r := range a.early {
		group.Go(func() error { return r.Start(ctx) })
	}
	for _, m := range a.managers {
		group.Go(func() error { return m.Start(ctx) })
	}
	return errors.Join(group.Wait(), a.stopTracing(context.WithoutCancel(ctx)))
}

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(s))
	utilruntime.Must(apiextensions.AddToScheme(s))
	utilruntime.Must(gatewayv1.Install(s))
	utilruntime.Must(kedav1alpha1.AddToScheme(s))
	utilruntime.Must(v1.AddToScheme(s))
	return s
}

func newApp(c *config, log logr.Logger) (*app, error) {
	if err := metrics.Registry.Register(buildInfo()); err != nil {
		return nil, err
	}
	tracer, err := tracing.New(context.Background(), c.OTLPEndpoint, serviceName, buildVersion(), log.WithName("tracing"))
	if err != nil {
		return nil, err
	}
	a, now := &app{tracer: tracer}, newServerClock(clock.RealClock{})
	if c.runsHooks() {
		if err := a.addHooks(c, now, log); err != nil {
			return nil, err
		}
	}
	if c.runsControllers() {
		if err := a.addControllers(c, now, log); err != nil {
			return nil, err
		}
	}
	return a, a.addListeners(c, log)
}

// newManager returns a manager of an account, without ports of its own.
func (a *app) newManager(c *config, as *account, change func(*ctrl.Options), log logr.Logger) (ctrl.Manager, error) {
	grace := shutdownTimeout
	o := ctrl.Options{
		Scheme:                  as.scheme,
		Logger:                  log,
		Cache:                   cacheOptions(c),
		Metrics:                 metricsserver.Options{BindAddress: off},
		HealthProbeBindAddress:  off,
		PprofBindAddress:        off,
		GracefulShutdownTimeout: &grace,
	}
	change(&o)
	mgr, err := ctrl.NewManager(as.rest, o)
	if err != nil {
		return nil, fmt.Errorf("make the manager: %w", err)
	}
	a.managers = append(a.managers, mgr)
	return mgr, nil
}

// newDependencies returns the dependencies of a role besides its manager.
func newDependencies(mgr ctrl.Manager, c *config, now clock.PassiveClock, tracer *tracing.Tracer) (dependencies, error) {
	discover, err := discovery.NewDiscoveryClientForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return dependencies{}, fmt.Errorf("make a discovery client: %w", err)
	}
	served := newAPIs(discover.ServerResourcesForGroupVersion, func(kind apischema.GroupVersionKind) { endWatch(mgr, kind) })
	schemas := &schema.Cache{}
	return dependencies{
		judge:    &compat.Judge{Read: schemas.Parse},
		pipeline: admit.Pipeline{Read: schemas.Parse},
		config:   c,
		apis:     served,
		clock:    now,
		tracer:   tracer,
	}, mgr.Add(served)
}

// addHooks adds what answers the API server.
func (a *app) addHooks(c *config, now *serverClock, log logr.Logger) error {
	as, err := newAccount(c, c.Kubeconfig, now, a.tracer)
	if err != nil {
		return err
	}
	parts, err := newCertificates(c, as.direct, log.WithName("certs"))
	if err != nil {
		return err
	}
	var synced func() bool // set before anything runs
	a.ready = ready.New(ready.Options{
		Address:   listenerAddress(c),
		Path:      pathHealth,
		Endpoints: parts.live,
		Synced:    func() bool { return synced() },
		Failed:    parts.checkSoon,
	})
	server, err := newServer(c, parts.source.GetCertificate, a.ready.Draining, log, parts.runnables()...)
	if err != nil {
		return err
	}
	a.serving, a.readiness = parts.source, map[string]healthz.Checker{"call": a.ready.Check}
	mgr, err := a.newManager(c, as, func(o *ctrl.Options) { o.WebhookServer = server }, log)
	if err != nil {
		return err
	}
	if synced, err = startInformers(context.Background(), mgr.GetCache()); err != nil {
		return err
	}
	// The manager runs the server once it has been asked for.
	mgr.GetWebhookServer()
	d, err := newDependencies(mgr, c, now, a.tracer)
	if err != nil {
		return err
	}
	if err := registerWebhooks(mgr, d); err != nil {
		return fmt.Errorf("register the hooks: %w", err)
	}
	return nil
}

// addControllers adds what writes: the controllers, and what keeps the CA.
func (a *app) addControllers(c *config, now *serverClock, log logr.Logger) error {
	kubeconfig := firstNonEmpty(c.ControllersKubeconfig, c.Kubeconfig)
	as, err := newAccount(c, kubeconfig, now, a.tracer)
	if err != nil {
		return err
	}
	authority, err := newAuthority(c, as.direct, log.WithName("authority"))
	if err != nil {
		return err
	}
	a.early = append(a.early, authority.runnables...)
	mgr, err := a.newManager(c, as, func(*ctrl.Options) {}, log)
	if err != nil {
		return err
	}
	synced, err := startInformers(context.Background(), mgr.GetCache())
	if err != nil {
		return err
	}
	if a.serving == nil {
		a.serving, a.readiness = authority.source, map[string]healthz.Checker{"caches": checkSynced(synced)}
	}
	d, err := newDependencies(mgr, c, now, a.tracer)
	if err != nil {
		return err
	}
	register, err := newRegistration(mgr, d)
	if err != nil {
		return fmt.Errorf("index what the controllers read: %w", err)
	}
	lead, err := newLeader(mgr, c, as.rest, register)
	if err != nil {
		return err
	}
	return mgr.Add(lead)
}
