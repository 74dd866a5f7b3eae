package handler

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// TestAMovedRouteIsNotTold holds that an Event tells of a route whose backends are put back,
// and not of one whose backends are planned anew, as when gateways have come to know the
// pods of a version; and that other writes are told of beside it.
func TestAMovedRouteIsNotTold(t *testing.T) {
	route := func(service string, weight int32) []client.Object {
		backend := gatewayv1.HTTPBackendRef{}
		backend.Name, backend.Weight = gatewayv1.ObjectName(service), &weight
		r := &gatewayv1.HTTPRoute{}
		r.Spec.Rules = []gatewayv1.HTTPRouteRule{{BackendRefs: []gatewayv1.HTTPBackendRef{backend}}}
		return []client.Object{r}
	}
	const ofRoute, ofService = "updated " + routeKind + " handler-users", "created Service handler-users"
	h, m := builders.MakeHandler("users").Namespace("shop").Obj(), memory{}
	for _, tc := range []struct {
		name     string
		children []client.Object
		want     []string
	}{
		{"nothing is remembered", route("handler-users", 100), []string{ofRoute, ofService}},
		{"its backends are put back", route("handler-users", 100), []string{ofRoute, ofService}},
		{"another Service", route("handler-users--v1", 100), []string{ofService}},
		{"the same once more", route("handler-users--v1", 100), []string{ofRoute, ofService}},
		{"another weight", route("handler-users--v1", 50), []string{ofService}},
		{"no route", nil, []string{ofRoute, ofService}},
	} {
		moved := m.noteBackends(h, backendsOf(tc.children))
		if diff := cmp.Diff(tc.want, untold([]string{ofRoute, ofService}, moved)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

// TestTheRecordOfAVersionStaysKnown holds that a record that exists, though the cache does
// not show it yet, stays in the status if it was there.
func TestTheRecordOfAVersionStaysKnown(t *testing.T) {
	s := &story{versionsBefore: []v1.VersionStatus{{Version: "v1", Record: "users-v1"}, {Version: "v2"}}}
	for _, tc := range []struct{ version, name, want string }{
		{"v1", "users-v1", "users-v1"},
		{"v1", "users-v1-abc", ""},
		{"v2", "users-v2", ""},
		{"v3", "users-v1", ""},
	} {
		if got := s.knownRecord(tc.version, tc.name); got != tc.want {
			t.Errorf("%s of %s: %q, want %q", tc.name, tc.version, got, tc.want)
		}
	}
}
