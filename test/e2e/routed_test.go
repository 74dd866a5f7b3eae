package e2e

import (
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/expand"
)

// handlersFor makes handlers that share the scenario's hostname. All are Ready when
// the sentence ends.
func (g given) handlersFor(tenants ...tenant) map[string]*v1.GatiHandler {
	g.t.Helper()
	g.gatiIsInstalled()
	g.aNamespace()
	out := map[string]*v1.GatiHandler{}
	for _, c := range tenants {
		h := g.aRoutedHandler(c.name, c.path, g.hostname(), c.methods...)
		setImage(c.version)(&h.Spec)
		addEnv("SAMPLE_ROUTES", c.answers)(&h.Spec)
		g.applyObject(h)
		out[c.name] = h
	}
	for _, h := range out {
		then(g).isReady(h)
	}
	return out
}

// aRoutedHandler is a handler behind the gateway, not applied yet.
func (g given) aRoutedHandler(name, path, hostname string, methods ...v1.HTTPMethod) *v1.GatiHandler {
	at := gatewayKey()
	b := builders.MakeHandler(name).Namespace(g.ns).Path(path).Methods(methods...).GatewayIn(at.Namespace, at.Name).Hostname(hostname)
	if expand.HasPathParameters(path) {
		b.PathMatch(v1.PathMatchRegex)
	}
	return b.Spec(func(s *v1.GatiHandlerSpec) {
		s.HealthCheck = &v1.HealthCheck{Interval: "5s"}
		s.Pod = &v1.PodSettings{ImagePullPolicy: corev1.PullIfNotPresent}
	}).Obj()
}

// applyObject does what kubectl apply --server-side does with an object.
func (w *world) applyObject(obj client.Object) {
	w.t.Helper()
	if err := admin.Apply(w.t.Context(), toApplyConfiguration(w.t, obj), client.FieldOwner("kubectl"), client.ForceOwnership); err != nil {
		w.t.Fatal(err)
	}
}

// isReady waits until a handler is Ready for its present spec.
func (n then) isReady(h *v1.GatiHandler) {
	n.t.Helper()
	n.eventually(h.Name+" that is Ready", func() error {
		now := &v1.GatiHandler{}
		if err := admin.Get(n.t.Context(), client.ObjectKeyFromObject(h), now); err != nil {
			return err
		}
		return checkReadyCondition(now.Status.Conditions, now.Generation)
	})
	n.logStep("then %s/%s is Ready", h.Namespace, h.Name)
}
