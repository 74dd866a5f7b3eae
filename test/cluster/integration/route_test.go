package integration

import (
	"context"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/gateway"
)

const routeCRD = "httproutes.gateway.networking.k8s.io"

// "If HTTPRoute is not served: Stalled". Once the Gateway API is
// installed, the route appears by itself, and it is put back like any child.
func TestRouteAppearsWhenGatewayAPIIsInstalled(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	served := checkGone[apiextensionsv1.CustomResourceDefinition](t, "", routeCRD) != nil
	createObject(t, builders.MakeHandler("static").Namespace(ns).Image("app:v1.0.0").Path("/api/users").
		Methods("GET", "POST").Gateway("front").Hostname("users.example.com").Port(8080).Obj())
	createObject(t, builders.MakeHandler("prefix").Namespace(ns).Image("app:v1.0.0").Path("/files/*").Gateway("front").Obj())
	for _, strategy := range []v1.Strategy{v1.StrategyCanary, v1.StrategyManual} {
		createObject(t, builders.MakeHandler(routed(strategy)).Namespace(ns).Image("app:v1.0.0").Version("v1").Path("/"+routed(strategy)).
			Gateway("front").Strategy(strategy).Obj())
	}
	if served {
		t.Log("this cluster has the Gateway API already: that it may come later is not tested")
	} else {
		for _, name := range []string{"static", "prefix", routed(v1.StrategyCanary), routed(v1.StrategyManual)} {
			h := stalledHandler(t, ns, name, "spec.route", "this cluster does not serve", "install the Gateway API")
			if c := meta.FindStatusCondition(h.Status.Conditions, v1.ConditionReady); c == nil || c.Status != metav1.ConditionFalse || c.Reason != string(v1.ReasonNotServed) {
				t.Errorf("%s: Ready is %+v, want False with NotServed", name, c)
			}
			await.Eventually(t, "Deployment of "+name, func() error {
				var found appsv1.DeploymentList
				err := admin.List(t.Context(), &found, client.InNamespace(ns), client.MatchingLabels{v1.LabelHandler: name})
				if err == nil && len(found.Items) != 1 {
					err = fmt.Errorf("%d are there", len(found.Items))
				}
				return err
			})
		}
		if err := gateway.Install(t.Context(), cluster); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { // Else it would not be later when the test runs once more.
			if err := removeRoutes(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}

	var route *gatewayv1.HTTPRoute
	await.Within(t, healWithin, "HTTPRoute of the handler", func() (err error) {
		route, err = findObject[gatewayv1.HTTPRoute](t, ns, "handler-static")
		return err
	})
	checkRule(t, route, "Exact /api/users GET, Exact /api/users POST, Exact /api/users/ GET, Exact /api/users/ POST")
	if len(route.Spec.Hostnames) != 1 || route.Spec.ParentRefs[0].Name != "front" {
		t.Errorf("hosts %v, parents %v; want users.example.com and front", route.Spec.Hostnames, route.Spec.ParentRefs)
	}
	t.Run("Ready once a gateway serves it", func(t *testing.T) { readyOnceServed(t, ns, "static", "front") })
	for _, strategy := range []v1.Strategy{v1.StrategyCanary, v1.StrategyManual} {
		await.Within(t, healWithin, "HTTPRoute under "+string(strategy), func() (err error) {
			_, err = findObject[gatewayv1.HTTPRoute](t, ns, "handler-"+routed(strategy))
			return err
		})
	}
	await.Within(t, healWithin, "HTTPRoute of the other handler", func() (err error) {
		route, err = findObject[gatewayv1.HTTPRoute](t, ns, "handler-prefix")
		return err
	})
	checkRule(t, route, "PathPrefix /files")

	assertEditRepaired(t, ns, "handler-static", func(r *gatewayv1.HTTPRoute) { r.Spec.Hostnames = []gatewayv1.Hostname{"evil.example.com"} })
	assertDeleteRepaired[gatewayv1.HTTPRoute](t, ns, "handler-static")
	changeObject(t, ns, "static", func(h *v1.GatiHandler) { h.Spec.Route = nil })
	await.Eventually(t, "end of the HTTPRoute with spec.route", func() error { return checkGone[gatewayv1.HTTPRoute](t, ns, "handler-static") })
	t.Run("the same traffic claimed twice", claimedTwice)
	t.Run("and removed again", func(t *testing.T) { gatewayAPIIsRemoved(t, ns) })
}

// serveGateway runs a controller of one gateway until the test ends.
func serveGateway(t *testing.T, name string) {
	answers := gateway.New(admin)
	go answers.Run(t.Context())
	answers.Set(name, gateway.Behavior{})
}

// readyOnceServed holds that a handler is not Ready while no controller has claimed its route.
func readyOnceServed(t *testing.T, ns, name, parent string) {
	await.Eventually(t, "handler without a gateway", func() error {
		h, err := findObject[v1.GatiHandler](t, ns, name)
		if err != nil {
			return err
		}
		c := meta.FindStatusCondition(h.Status.Conditions, v1.ConditionReady)
		if c == nil || c.Status != metav1.ConditionFalse {
			return fmt.Errorf("Ready is %+v", c)
		}
		return checkContains(c.Message, "no controller has claimed the route for "+parent)
	})
	serveGateway(t, parent)
	readyHandler(t, ns, name)
}

// gatewayAPIIsRemoved removes HTTPRoutes from the API. Once they are back, they are made
// and repaired as before.
func gatewayAPIIsRemoved(t *testing.T, ns string) {
	removeAPI(t, "HTTPRoute", removeRoutes,
		func(ctx context.Context) error { return gateway.Install(ctx, cluster) },
		func() { stalledHandler(t, ns, "prefix", "spec.route", "install the Gateway API") })
	await.Within(t, healWithin, "HTTPRoute once more", func() error {
		_, err := findObject[gatewayv1.HTTPRoute](t, ns, "handler-prefix")
		return err
	})
	assertDeleteRepaired[gatewayv1.HTTPRoute](t, ns, "handler-prefix")
}

// removeRoutes deletes the CRD of HTTPRoutes, and with it all of them.
func removeRoutes(ctx context.Context) error {
	crd := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: routeCRD}}
	return client.IgnoreNotFound(admin.Delete(ctx, crd))
}

func routed(s v1.Strategy) string { return "by-" + strings.ToLower(string(s)) }

// claimedTwice holds that the later of two handlers of a namespace with equal match,
// host and parent is told, that the earlier serves on, and that the later follows once
// the traffic is free. Between namespaces the gateway decides.
func claimedTwice(t *testing.T) {
	serveGateway(t, "public")
	first, second := makeNamespace(t), makeNamespace(t)
	claim := func(ns, name, path string) *v1.GatiHandler {
		return builders.MakeHandler(name).Namespace(ns).Image("app:v1.0.0").Path(path).PathMatch(v1.PathMatchRegex).
			GatewayIn("infra", "public").Hostname("shop.example.com").Obj()
	}
	createObject(t, claim(first, "z-earlier", "/orders/:id"))
	hasClaims(t, first, "z-earlier")
	createObject(t, claim(first, "later", "/orders/[order]"))
	createObject(t, claim(second, "abroad", "/orders/:id"))
	stalledHandler(t, first, "later", "^/orders/[^/]+$ on shop.example.com at Gateway infra/public", "GatiHandler z-earlier had first", "change spec.path")
	if err := checkGone[gatewayv1.HTTPRoute](t, first, "handler-later"); err != nil {
		t.Error(err)
	}
	hasClaims(t, second, "abroad")
	readyHandler(t, second, "abroad")
	readyHandler(t, first, "z-earlier")
	changeObject(t, first, "z-earlier", func(h *v1.GatiHandler) { h.Spec.Path = "/invoices/:id" })
	hasClaims(t, first, "later")
	readyHandler(t, first, "later")
}

// hasClaims waits until a gateway has accepted what a handler asks for.
func hasClaims(t *testing.T, ns, name string) {
	t.Helper()
	await.Within(t, healWithin, "accepted claims of "+name, func() error {
		h, err := findObject[v1.GatiHandler](t, ns, name)
		if err == nil && (h.Status.Route == nil || len(h.Status.Route.Claims) == 0) {
			err = fmt.Errorf("the conditions are %+v", h.Status.Conditions)
		}
		return err
	})
}

// checkRule checks that a route has one rule with these matches and the handler's
// Service behind it.
func checkRule(t *testing.T, route *gatewayv1.HTTPRoute, want string) {
	t.Helper()
	if len(route.Spec.Rules) != 1 || len(route.Spec.Rules[0].BackendRefs) != 1 {
		t.Fatalf("HTTPRoute %s has rules %+v, want one with one backend", route.Name, route.Spec.Rules)
	}
	var got []string
	for _, m := range route.Spec.Rules[0].Matches {
		text := fmt.Sprintf("%s %s", *m.Path.Type, *m.Path.Value)
		if m.Method != nil {
			text += " " + string(*m.Method)
		}
		got = append(got, text)
	}
	if strings.Join(got, ", ") != want {
		t.Errorf("HTTPRoute %s matches %q, want %q", route.Name, got, want)
	}
	if backend := route.Spec.Rules[0].BackendRefs[0]; string(backend.Name) != route.Name {
		t.Errorf("HTTPRoute %s goes to %s, want the Service of the same name", route.Name, backend.Name)
	}
}
