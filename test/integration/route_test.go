package integration

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/builders"
)

const routeCRD = "httproutes.gateway.networking.k8s.io"

// "If HTTPRoute is not served: Stalled" (design.md §4). Once the Gateway API is
// installed, the route appears by itself, and it is put back like any child.
func TestRouteAppearsWhenGatewayAPIIsInstalled(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	served := gone[apiextensionsv1.CustomResourceDefinition](t, "", routeCRD) != nil
	create(t, builders.MakeHandler("static").Namespace(ns).Image("app:v1.0.0").Path("/api/users").
		Methods("GET", "POST").Gateway("front").Hostname("users.example.com").Port(8080).Obj())
	create(t, builders.MakeHandler("prefix").Namespace(ns).Image("app:v1.0.0").Path("/files/*").Gateway("front").Obj())
	if served {
		t.Log("this cluster has the Gateway API already: that it may come later is not tested")
	} else {
		stalledHandler(t, ns, "static", "spec.route", "this cluster does not serve", "install the Gateway API")
		installGatewayAPI(t)
	}

	var route *gatewayv1.HTTPRoute
	within(t, healWithin, "HTTPRoute of the handler", func() (err error) {
		route, err = find[gatewayv1.HTTPRoute](t, ns, "handler-static")
		return err
	})
	checkRule(t, route, "Exact /api/users GET, Exact /api/users POST")
	if len(route.Spec.Hostnames) != 1 || route.Spec.ParentRefs[0].Name != "front" {
		t.Errorf("hosts %v, parents %v; want users.example.com and front", route.Spec.Hostnames, route.Spec.ParentRefs)
	}
	readyHandler(t, ns, "static")
	within(t, healWithin, "HTTPRoute of the other handler", func() (err error) {
		route, err = find[gatewayv1.HTTPRoute](t, ns, "handler-prefix")
		return err
	})
	checkRule(t, route, "PathPrefix /files")

	edited(t, ns, "handler-static", func(r *gatewayv1.HTTPRoute) { r.Spec.Hostnames = []gatewayv1.Hostname{"evil.example.com"} })
	deleted[gatewayv1.HTTPRoute](t, ns, "handler-static")
	change(t, ns, "static", func(h *v1.GatiHandler) { h.Spec.Route = nil })
	eventually(t, "end of the HTTPRoute with spec.route", func() error { return gone[gatewayv1.HTTPRoute](t, ns, "handler-static") })
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

// installGatewayAPI applies the CRDs that lie in the module whose types we use.
func installGatewayAPI(t *testing.T) {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/gateway-api").Output()
	if err != nil {
		t.Fatalf("find the module sigs.k8s.io/gateway-api: %v", err)
	}
	crds := filepath.Join(strings.TrimSpace(string(dir)), "config", "crd", "standard")
	for _, kind := range []string{"gatewayclasses", "gateways", "httproutes"} {
		kubectl(t, "default", "", "apply", "--server-side", "-f", filepath.Join(crds, "gateway.networking.k8s.io_"+kind+".yaml"))
	}
	eventually(t, "established CRD of HTTPRoutes", func() error {
		crd, err := find[apiextensionsv1.CustomResourceDefinition](t, "", routeCRD)
		if err != nil {
			return err
		}
		for _, c := range crd.Status.Conditions {
			if c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue {
				return nil
			}
		}
		return errors.New("not yet")
	})
}
