package app

import (
	"context"
	"fmt"
	"net/http"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	registry "sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/controller/handler"
	"gati.dev/gati/pkg/controller/module"
	"gati.dev/gati/pkg/controller/report"
	versions "gati.dev/gati/pkg/controller/version"
	"gati.dev/gati/pkg/metrics"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/target/kubernetes"
	"gati.dev/gati/pkg/tracing"
	"gati.dev/gati/pkg/webhook/admission"
	"gati.dev/gati/pkg/webhook/conversion"
	"gati.dev/gati/pkg/webhook/guard"
)

// Paths of the hooks in manifests/webhook and manifests/crd.
const (
	pathMutate   = "/mutate"
	pathValidate = "/validate"
	pathConvert  = "/convert"
)

// recorderName is the reporting component of Events.
const recorderName = "gati-webhook"

// dependencies are the inputs of hooks and controllers besides the manager's own
// client, cache, API reader, recorder and scheme.
type dependencies struct {
	config *config
	// apis has the optional APIs that the cluster serves.
	apis *apis
	// clock returns the API server's time.
	clock clock.PassiveClock
	// pipeline reads version schemas, each once, and judge compares them.
	pipeline admit.Pipeline
	judge    *compat.Judge
	// tracer exports traces; nil is off.
	tracer *tracing.Tracer
}

// newFacts returns the facts of namespaces from the manager's cache.
func (d dependencies) newFacts(mgr ctrl.Manager) *observe.Facts {
	return &observe.Facts{Reader: mgr.GetClient(), Served: d.apis.Served, RuntimeClasses: d.config.RuntimeClasses, Targets: d.config.targetFacts(), RequestRate: d.config.requestRate(), ScrapeInterval: d.config.scrapeInterval()}
}

// registerWebhooks registers the hooks with the webhook server.
func registerWebhooks(mgr ctrl.Manager, d dependencies) error {
	facts := d.newFacts(mgr)
	facts.Reader = &observe.NewNamespaces{Reader: facts.Reader, Live: mgr.GetAPIReader()}
	dryRun, err := newDryRun(mgr, d)
	if err != nil {
		return err
	}
	cached, err := newRecordIndex(mgr)
	if err != nil {
		return err
	}
	calls := guard.NewMetrics()
	if err := registry.Registry.Register(calls); err != nil {
		return err
	}
	hooks := map[string]http.Handler{
		pathMutate: newReviewHandler(&admission.Mutator{Facts: facts, Live: mgr.GetAPIReader(), Pipeline: d.pipeline}),
		pathValidate: newReviewHandler(traceAdmission(d.tracer, &admission.Validator{
			Facts: facts, Pipeline: d.pipeline, Judge: d.judge, Queries: d.config.AnalysisQueries, Cache: cached, Live: mgr.GetAPIReader(), DryRun: dryRun,
		})),
		pathConvert: conversion.NewHandler(),
	}
	for path, hook := range hooks {
		mgr.GetWebhookServer().Register(path, d.requireClient(path, guard.New(hook, newGuardOptions(path, calls))))
	}
	return nil
}

// requireClient puts the check of client certificates before a hook of admission. The
// API server has none to send for conversion.
func (d dependencies) requireClient(path string, hook http.Handler) http.Handler {
	if d.config.ClientCAFile == "" || path == pathConvert {
		return hook
	}
	return guard.RequireClient(d.config.ClientNames, hook)
}

func newReviewHandler(h webhook.AdmissionHandler) http.Handler {
	return &webhook.Admission{Handler: guard.DescribeCalls(h)}
}

// newRegistration returns the function that adds new controllers to a manager, once
// for each term. The controllers of all terms share the manager's cache.
func newRegistration(mgr ctrl.Manager, d dependencies) (func(ctrl.Manager) error, error) {
	if err := handler.Index(context.Background(), mgr.GetFieldIndexer()); err != nil {
		return nil, err
	}
	cached, err := newChildIndex(mgr)
	if err != nil {
		return nil, err
	}
	return func(mgr ctrl.Manager) error { return registerControllers(mgr, d, cached) }, nil
}

func registerControllers(mgr ctrl.Manager, d dependencies, cached client.Client) error {
	facts := d.newFacts(mgr)
	targets, err := newTargets(mgr, d, cached, facts)
	if err != nil {
		return err
	}
	events := report.Recorder{EventRecorder: d.tracer.Recorder(mgr.GetEventRecorder(recorderName))}
	measured := make(chan event.GenericEvent)
	hub, err := newHub(mgr, d, measured)
	if err != nil {
		return err
	}
	controllers := []interface{ SetupWithManager(ctrl.Manager) error }{
		&handler.Reconciler{Client: cached, Live: mgr.GetAPIReader(), Targets: targets, Facts: facts, Admit: d.pipeline, Judge: d.judge, Clock: d.clock, Events: events,
			Signals: hub, Measured: measured, Queries: d.config.AnalysisQueries, DeclaredTransformers: d.config.TransformerEvidence == evidenceDeclared, Tracing: d.tracer,
			Turns: d.config.Turns.newBoard(), Workers: d.config.ConcurrentHandlers, Release: buildVersion()},
		&module.Reconciler{Client: cached, Live: mgr.GetAPIReader(), Targets: targets, Facts: facts, Clock: d.clock, Events: events},
		&versions.Reconciler{Client: cached, Admit: d.pipeline, Clock: d.clock},
	}
	for _, c := range controllers {
		if err := c.SetupWithManager(mgr); err != nil {
			return err
		}
	}
	if len(d.config.Notify) > 0 {
		if err := mgr.Add(newNotifier(mgr, d)); err != nil {
			return err
		}
	}
	return mgr.Add(newHandlerMetrics(mgr.GetClient()))
}

// removableKinds returns the kinds of children that a change of spec can make
// superfluous.
func removableKinds(facts *observe.Facts) []client.ObjectList {
	routes, errRoutes := facts.HTTPRouteServed()
	scaled, errScaled := facts.ScaledObjectServed()
	return kubernetes.Removable(errRoutes == nil && routes, errScaled == nil && scaled)
}

// newDryRun returns the dry run of children. It has its own client without a rate
// limit, which would use up the deadlines of admission, and without a cache, which
// misses objects of others.
func newDryRun(mgr ctrl.Manager, d dependencies) (*admission.DryRun, error) {
	config := rest.CopyConfig(mgr.GetConfig())
	config.QPS = -1 // left to the API server's priority and fairness
	live, err := client.New(config, client.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()})
	if err != nil {
		return nil, fmt.Errorf("make a client for dry runs: %w", err)
	}
	return admission.NewDryRun(admission.DryRun{
		Live: live, Preview: kubernetes.NewPreview(live), Judge: d.judge, Clock: d.clock, Quotes: d.config.ClientCAFile != "",
	}), nil
}

// handlerMetrics exports the status of handlers while this replica leads: exported
// by every replica, each sum would be a multiple.
type handlerMetrics struct{ *metrics.Handlers }

// newHandlerMetrics lists handlers from the cache without copies, because none is
// changed.
func newHandlerMetrics(cached client.Reader) handlerMetrics {
	return handlerMetrics{metrics.NewHandlers(func(ctx context.Context) ([]v1.GatiHandler, error) {
		var list v1.GatiHandlerList
		err := cached.List(ctx, &list, client.UnsafeDisableDeepCopy)
		return list.Items, err
	})}
}

// Start exports the metrics until the context ends.
func (f handlerMetrics) Start(ctx context.Context) error {
	if err := registry.Registry.Register(f); err != nil {
		return err
	}
	defer registry.Registry.Unregister(f)
	<-ctx.Done()
	return nil
}
