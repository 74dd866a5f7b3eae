package e2e

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
)

// The gateway would give the requests to one of the handlers without an error.
func TestTheSameMatchClaimedTwice(t *testing.T) {
	given, when, then := scenario(t)

	given.aHandler()
	given.steadyTraffic(20)
	then.isAccepted(given.handler)
	same := given.aRival("again", "/users/[name]", given.hostname(), "GET")
	then.isToldOf(same, given.handler)
	then.noRequestHasFailed(200)
	then.answersCameFrom("v1.0.0")
	when.isDeleted(given.handler)
	then.isReady(same)
}

// aRival asks for what another handler has. It would answer as v2.0.0.
func (g given) aRival(name, path, hostname string, methods ...v1.HTTPMethod) *v1.GatiHandler {
	g.t.Helper()
	h := g.aRoutedHandler(name, path, hostname, methods...)
	setImage("v2.0.0")(&h.Spec)
	g.applyObject(h)
	g.logStep("given a handler %s/%s that asks for %s, too", g.ns, name, path)
	return h
}

func (w when) isDeleted(obj client.Object) {
	w.t.Helper()
	if err := admin.Delete(w.t.Context(), obj); err != nil {
		w.t.Fatal(err)
	}
	w.logStep("when %s/%s is deleted", obj.GetNamespace(), obj.GetName())
}

// isAccepted waits until a handler knows that the gateway has accepted its route.
func (n then) isAccepted(h *v1.GatiHandler) {
	n.t.Helper()
	n.eventually("accepted claims of "+h.Name, func() error {
		now := &v1.GatiHandler{}
		if err := admin.Get(n.t.Context(), client.ObjectKeyFromObject(h), now); err != nil {
			return err
		}
		if now.Status.Route == nil || len(now.Status.Route.Claims) == 0 {
			return fmt.Errorf("the conditions are %+v", now.Status.Conditions)
		}
		return nil
	})
}

// isToldOf waits until a handler says that another one had its requests first, and wants
// it to have no route.
func (n then) isToldOf(h, first *v1.GatiHandler) {
	n.t.Helper()
	var message string
	n.eventually(fmt.Sprintf("condition of %s that names %s", h.Name, first.Name), func() error {
		now := &v1.GatiHandler{}
		if err := admin.Get(n.t.Context(), client.ObjectKeyFromObject(h), now); err != nil {
			return err
		}
		c := meta.FindStatusCondition(now.Status.Conditions, v1.ConditionStalled)
		if c == nil || c.Status != "True" || c.Reason != "RouteTaken" {
			return fmt.Errorf("the condition is %+v", c)
		}
		message = c.Message
		return checkContains(message, "GatiHandler "+first.Name+" had first")
	})
	err := admin.Get(n.t.Context(), client.ObjectKey{Namespace: h.Namespace, Name: "handler-" + h.Name}, &gatewayv1.HTTPRoute{})
	if client.IgnoreNotFound(err) != nil || err == nil {
		n.t.Errorf("%s/%s has a route: %v", h.Namespace, h.Name, err)
	}
	n.logStep("then %s/%s is told: %s", h.Namespace, h.Name, message)
}
