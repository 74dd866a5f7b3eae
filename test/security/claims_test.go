package security

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/gateway"
)

// TestNoRouteIsTaken has two old handlers without a route ask for a victim's host: one in
// the tenant's own namespace, one beside the victim.
func TestNoRouteIsTaken(t *testing.T) {
	const abroad, home = "a-sleepers", "b-victims"
	for _, name := range []string{"claims", "silent"} {
		gateways.Set(name, gateway.Behavior{Absent: name == "silent"})
	}
	attacker, neighbour := makeTenant(t, abroad), makeTenant(t, home)
	mayRoute(t, abroad)
	mayRoute(t, home)
	sleepers := map[string]client.Client{abroad: attacker, home: neighbour}
	for ns, c := range sleepers {
		mustCreate(t, c, builders.MakeHandler("a-sleeper").Namespace(ns).Image("app:v1.0.0").Obj())
	}
	victim := builders.MakeHandler("victim").Namespace(home).Image("app:v1.0.0").Path("/pay").GatewayIn("infra", "claims").Hostname("shop.example.com").Obj()
	mustCreate(t, neighbour, victim)
	awaitAccepted(t, home, "victim")

	for ns, c := range sleepers {
		logAttempt(t, "a handler of namespace %s, older than the victim of namespace %s and without a route, is patched with the victim's path, host and gateway", ns, home)
		askFor(t, c, ns, victim)
	}
	awaitAccepted(t, abroad, "a-sleeper")
	awaitCondition(t, home, "a-sleeper", v1.ConditionStalled, "GatiHandler victim had first")
	awaitCondition(t, home, "victim", v1.ConditionReady, "Another namespace has a route for")
	checkServes(t, home, "victim")
	logDefence(t, "the victim's route is written again after it was deleted; the sleeper beside it is Stalled; the gateway decides between namespaces")

	for ns, name := range map[string]string{home: "victim", abroad: "a-sleeper"} {
		other := map[string]string{home: abroad, abroad: home}[ns]
		for _, c := range readHandler(t, ns, name).Status.Conditions {
			if strings.Contains(c.Message, other) {
				t.Errorf("handler %s/%s is told of the other namespace: %s", ns, name, c.Message)
			}
		}
	}
	logDefence(t, "no status names a handler or namespace of another tenant")

	logAttempt(t, "a handler whose gateway has never answered asks first for what the victim asks for later")
	asks := builders.MakeHandler("a-asker").Namespace(home).Image("app:v1.0.0").Path("/pay").GatewayIn("infra", "silent").Obj()
	mustCreate(t, neighbour, asks)
	second := builders.MakeHandler("second").Namespace(home).Image("app:v1.0.0").Path("/pay").GatewayIn("infra", "silent").Obj()
	mustCreate(t, neighbour, second)
	awaitRoute(t, home, "second")
	logDefence(t, "the later handler has its route: the gateway has accepted neither")
}

// mayRoute lets the tenant of a namespace create HTTPRoutes there, as spec.route needs.
func mayRoute(t *testing.T, ns string) {
	t.Helper()
	role := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "routes"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{gatewayv1.GroupName}, Resources: []string{"httproutes"}, Verbs: []string{"create"}}},
	}
	mustCreate(t, admin, role)
	user := "tenant-of-" + ns
	mustCreate(t, admin, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "routes"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	})
	awaitRight(t, user, authorizationv1.ResourceAttributes{Namespace: ns, Group: gatewayv1.GroupName, Resource: "httproutes", Verb: "create"})
}

// askFor gives the sleeper of a namespace the path and the route of another handler.
func askFor(t *testing.T, c client.Client, ns string, victim *v1.GatiHandler) {
	t.Helper()
	sleeper := readHandler(t, ns, "a-sleeper")
	before := sleeper.DeepCopy()
	sleeper.Spec.Path, sleeper.Spec.Route = victim.Spec.Path, victim.Spec.Route
	if err := c.Patch(t.Context(), sleeper, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
}

// checkServes deletes the route of a handler and waits for it to be back and accepted.
func checkServes(t *testing.T, ns, name string) {
	t.Helper()
	gone := awaitRoute(t, ns, name)
	if err := admin.Delete(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	await.Eventually(t, "another route of "+name, func() error {
		var route gatewayv1.HTTPRoute
		if err := admin.Get(t.Context(), client.ObjectKeyFromObject(gone), &route); err != nil {
			return err
		}
		if route.UID == gone.UID {
			return errors.New("it is the old one")
		}
		return nil
	})
	awaitCondition(t, ns, name, v1.ConditionReady, "")
}

func awaitRoute(t *testing.T, ns, name string) *gatewayv1.HTTPRoute {
	t.Helper()
	var route gatewayv1.HTTPRoute
	await.Eventually(t, "route of "+name, func() error {
		return admin.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "handler-" + name}, &route)
	})
	return &route
}

// awaitAccepted waits until a gateway has accepted what a handler asks for.
func awaitAccepted(t *testing.T, ns, name string) {
	t.Helper()
	await.Eventually(t, "accepted claims of "+name, func() error {
		if st := readHandler(t, ns, name).Status; st.Route == nil || len(st.Route.Claims) == 0 {
			return fmt.Errorf("the conditions are %+v", st.Conditions)
		}
		return nil
	})
}

// awaitCondition waits until a condition of a handler is True with a text.
func awaitCondition(t *testing.T, ns, name, kind, text string) {
	t.Helper()
	await.Eventually(t, fmt.Sprintf("condition %s of %s: %s", kind, name, text), func() error {
		h := readHandler(t, ns, name)
		c := meta.FindStatusCondition(h.Status.Conditions, kind)
		if c == nil || c.Status != metav1.ConditionTrue || c.ObservedGeneration != h.Generation || !strings.Contains(c.Message, text) {
			return fmt.Errorf("the condition is %+v", c)
		}
		return nil
	})
}

func readHandler(t *testing.T, ns, name string) *v1.GatiHandler {
	t.Helper()
	var h v1.GatiHandler
	if err := admin.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: name}, &h); err != nil {
		t.Fatal(err)
	}
	return &h
}

func mustCreate(t *testing.T, c client.Client, obj client.Object) {
	t.Helper()
	if err := c.Create(t.Context(), obj); err != nil {
		t.Fatal(err)
	}
}
