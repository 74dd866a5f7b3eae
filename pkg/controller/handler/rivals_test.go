package handler

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/trigger"
)

const (
	usersClaim = "all methods of Exact /users on any host at Gateway infra/main"
	otherClaim = "all methods of Exact /other on any host at Gateway infra/main"
)

// A handler that asks for a claim that another one of its namespace had first keeps the
// route that it has.
func TestTakenRouteStays(t *testing.T) {
	w := worldWithRival(t, "default", otherClaim)
	w.changeUsers(func(s *v1.GatiHandlerSpec) { s.Path = "/other" })
	h := w.reconcileUsers()
	if c := stalledCondition(h); c == nil || c.Reason != "RouteTaken" || !strings.Contains(c.Message, "GatiHandler rival had first") {
		t.Errorf("condition %+v, want RouteTaken", c)
	}
	if got := w.livePath(); got != "/users" {
		t.Errorf("the route matches %s", got)
	}
}

// Where both already have the claim, the later handler is told and its route still
// follows: a rollback has to move weights.
func TestTakenRouteFollows(t *testing.T) {
	w := worldWithRival(t, "default", usersClaim)
	timeout := gatewayv1.Duration("5s")
	w.changeUsers(func(s *v1.GatiHandlerSpec) { s.Route.Timeouts = &gatewayv1.HTTPRouteTimeouts{Request: &timeout} })
	h := w.reconcileUsers()
	if c := stalledCondition(h); c == nil || c.Reason != "RouteTaken" {
		t.Errorf("condition %+v, want RouteTaken", c)
	}
	if got := w.liveRoute().Spec.Rules[0].Timeouts; got == nil {
		t.Error("the route was not written")
	}
}

// An older handler whose route no gateway has accepted takes nothing, in whatever
// namespace it is. Nor does one of another namespace whose route is accepted.
func TestNoRivalStopsALiveRoute(t *testing.T) {
	for name, tc := range map[string]struct{ namespace, accepted string }{
		"a sleeper":                   {"default", ""},
		"accepted for something else": {"default", otherClaim},
		"a sleeper abroad":            {"abroad", ""},
		"accepted abroad":             {"abroad", usersClaim},
	} {
		t.Run(name, func(t *testing.T) {
			w := worldWithRival(t, tc.namespace, tc.accepted)
			w.changeUsers(func(s *v1.GatiHandlerSpec) { s.Methods = nil })
			w.must(w.live.DeleteAllOf(t.Context(), &gatewayv1.HTTPRoute{}, client.InNamespace("default")))
			h := w.reconcileUsers()
			if c := stalledCondition(h); c != nil && c.Status == metav1.ConditionTrue {
				t.Errorf("condition %+v", c)
			}
			if got := w.livePath(); got != "/users" {
				t.Errorf("the route matches %s", got)
			}
		})
	}
}

// A claim that the gateway accepts abroad, too, is warned of without a name.
func TestContestedClaimIsWarnedOf(t *testing.T) {
	w := worldWithRival(t, "abroad", usersClaim)
	w.acceptRoute()
	h := w.reconcileUsers()
	c := meta.FindStatusCondition(h.Status.Conditions, v1.ConditionReady)
	if !strings.Contains(c.Message, "Another namespace has a route for "+usersClaim+", too; the gateway decides") {
		t.Errorf("no warning in %q", c.Message)
	}
	for _, c := range h.Status.Conditions {
		if strings.Contains(c.Message, "abroad") || strings.Contains(c.Message, "rival") {
			t.Errorf("the condition names the other: %+v", c)
		}
	}
}

// Rivals look again when a claim comes or goes, and when its handler is deleted.
func TestChangesClaims(t *testing.T) {
	of := func(claim string) *v1.GatiHandler {
		h := routed().UID("uid").Generation(1).Obj()
		if claim != "" {
			h.Status.Route = &v1.RouteStatus{Claims: []v1.ClaimStatus{{Claim: claim}}}
		}
		return h
	}
	going := of(usersClaim)
	going.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	for name, tc := range map[string]struct {
		before, after *v1.GatiHandler
		want          bool
	}{
		"nothing":          {of(usersClaim), of(usersClaim), false},
		"the spec alone":   {of(usersClaim), routed().Generation(2).Status(func(s *v1.GatiHandlerStatus) { s.Route = of(usersClaim).Status.Route }).Obj(), false},
		"a claim comes":    {of(""), of(usersClaim), true},
		"a claim goes":     {of(usersClaim), of(""), true},
		"it is to be gone": {of(usersClaim), going, true},
	} {
		if got := changesClaims.Update(event.UpdateEvent{ObjectOld: tc.before, ObjectNew: tc.after}); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
	w := worldWithRival(t, "abroad", usersClaim)
	got := w.r.findRivals(t.Context(), of(usersClaim))
	if len(got) != 1 || got[0].Name != "rival" {
		t.Errorf("handlers %v, want abroad/rival", got)
	}
}

// worldWithRival is a world whose handler has a live route, with an older handler that
// asks for the same. accepted is the claim that a gateway has accepted of that one.
func worldWithRival(t *testing.T, namespace, accepted string) *world {
	t.Helper()
	w := newWorld(t, routed().GatewayIn("infra", "main").Spec(func(s *v1.GatiHandlerSpec) { s.Route.ParentRefs = s.Route.ParentRefs[1:] }).Obj())
	w.settle()
	rival := w.handler()
	rival.ObjectMeta = metav1.ObjectMeta{Namespace: namespace, Name: "rival", UID: "rival", CreationTimestamp: metav1.NewTime(rival.CreationTimestamp.Add(-time.Hour))}
	rival.Status = v1.GatiHandlerStatus{}
	w.must(w.live.Create(t.Context(), rival))
	if accepted != "" {
		rival.Status.Route = &v1.RouteStatus{Claims: []v1.ClaimStatus{{Claim: accepted, Since: metav1.NewTime(w.clock.Now().Add(-time.Hour))}}}
		w.must(w.live.Status().Update(t.Context(), rival))
	}
	return w
}

var usersKey = client.ObjectKey{Namespace: "default", Name: "users"}

func (w *world) users() *v1.GatiHandler {
	w.t.Helper()
	var h v1.GatiHandler
	w.must(w.live.Get(w.t.Context(), usersKey, &h))
	return &h
}

func (w *world) changeUsers(edit func(*v1.GatiHandlerSpec)) {
	w.t.Helper()
	h := w.users()
	edit(&h.Spec)
	h.Generation++
	w.must(w.live.Update(w.t.Context(), h))
}

func (w *world) reconcileUsers() *v1.GatiHandler {
	w.t.Helper()
	for range 3 {
		_, err := trigger.Quiet(w.r).Reconcile(w.t.Context(), ctrl.Request{NamespacedName: usersKey})
		w.must(err)
	}
	return w.users()
}

func stalledCondition(h *v1.GatiHandler) *metav1.Condition {
	return meta.FindStatusCondition(h.Status.Conditions, v1.ConditionStalled)
}

func (w *world) liveRoute() *gatewayv1.HTTPRoute {
	w.t.Helper()
	var route gatewayv1.HTTPRoute
	w.must(w.live.Get(w.t.Context(), client.ObjectKey{Namespace: "default", Name: "handler-users"}, &route))
	return &route
}

func (w *world) livePath() string {
	w.t.Helper()
	return *w.liveRoute().Spec.Rules[0].Matches[0].Path.Value
}

// acceptRoute answers the route as its gateway does.
func (w *world) acceptRoute() {
	w.t.Helper()
	route := w.liveRoute()
	parent := gatewayv1.RouteParentStatus{ParentRef: route.Spec.ParentRefs[0], ControllerName: "gati.dev/test"}
	for _, kind := range []string{"Accepted", "ResolvedRefs"} {
		meta.SetStatusCondition(&parent.Conditions, metav1.Condition{Type: kind, Status: metav1.ConditionTrue, Reason: kind, ObservedGeneration: route.Generation})
	}
	route.Status.Parents = []gatewayv1.RouteParentStatus{parent}
	w.must(w.live.Update(w.t.Context(), route))
}
