package observe

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/rollout"
)

// readRoute reads the HTTPRoute of a handler into its story.
func readRoute(ctx context.Context, r client.Reader, s *decide.Story) error {
	h := s.Handler
	var route gatewayv1.HTTPRoute
	err := r.Get(ctx, client.ObjectKey{Namespace: h.Namespace, Name: naming.HandlerChild(h.Name)}, &route)
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	if err != nil {
		// A route that is still to be written, or written again, keeps its claims.
		s.Claims = unansweredClaims(expand.Claims(h.Namespace, &h.Spec))
		return nil
	}
	s.Route, s.Claims = Route(&route, h.Name, decide.FrontWorkload(h)), Claims(&route)
	return nil
}

// Claims returns the claims of a route, each with the answer of its parent.
func Claims(route *gatewayv1.HTTPRoute) []decide.LiveClaim {
	var out []decide.LiveClaim
	for _, ref := range route.Spec.ParentRefs {
		claims := unansweredClaims(expand.LiveClaims(route, ref))
		for _, p := range route.Status.Parents {
			c := meta.FindStatusCondition(p.Conditions, string(gatewayv1.RouteConditionAccepted))
			if c == nil || c.ObservedGeneration < route.Generation || !sameParent(p.ParentRef, ref, route.Namespace) {
				continue
			}
			for i := range claims {
				claims[i].Accepted, claims[i].Refused = c.Status == metav1.ConditionTrue, c.Status == metav1.ConditionFalse
				claims[i].At = c.LastTransitionTime.Time
			}
		}
		out = append(out, claims...)
	}
	return out
}

func unansweredClaims(claims []expand.Claim) []decide.LiveClaim {
	var out []decide.LiveClaim
	for _, c := range claims {
		out = append(out, decide.LiveClaim{Claim: c.String()})
	}
	return out
}

// Route returns the weights of a route, and the answers of its parents.
func Route(route *gatewayv1.HTTPRoute, handler, front string) rollout.Route {
	out := rollout.Route{Exists: true, Generation: route.Generation, Weights: map[string]int32{}}
	if len(route.Spec.Rules) > 0 {
		for _, b := range route.Spec.Rules[0].BackendRefs {
			if b.Weight != nil {
				out.Weights[workloadOf(string(b.Name), handler, front)] += *b.Weight
			}
		}
	}
	for _, ref := range route.Spec.ParentRefs {
		out.Parents = append(out.Parents, parentAnswer(route, ref))
	}
	return out
}

// workloadOf returns the workload that a Service leads to.
func workloadOf(service, handler, front string) string {
	if workload, own := strings.CutPrefix(service, naming.WorkloadService(handler, "")); own {
		return workload
	}
	return front
}

// parentAnswer returns the conditions that the controller of one parent has written.
func parentAnswer(route *gatewayv1.HTTPRoute, ref gatewayv1.ParentReference) rollout.Parent {
	out := rollout.Parent{Name: string(ref.Name)}
	for _, p := range route.Status.Parents {
		if !sameParent(p.ParentRef, ref, route.Namespace) {
			continue
		}
		accepted := meta.FindStatusCondition(p.Conditions, string(gatewayv1.RouteConditionAccepted))
		resolved := meta.FindStatusCondition(p.Conditions, string(gatewayv1.RouteConditionResolvedRefs))
		if accepted == nil || resolved == nil {
			continue
		}
		out.Claimed = true
		out.ObservedGeneration = min(accepted.ObservedGeneration, resolved.ObservedGeneration)
		out.Accepted, out.ResolvedRefs = accepted.Status == metav1.ConditionTrue, resolved.Status == metav1.ConditionTrue
		switch {
		case !out.Accepted:
			out.Message = conditionText(accepted)
		case !out.ResolvedRefs:
			out.Message = conditionText(resolved)
		}
	}
	return out
}

func conditionText(c *metav1.Condition) string {
	if c.Message == "" {
		return c.Reason
	}
	return c.Reason + ": " + strings.TrimRight(c.Message, ".")
}

// sameParent reports whether two references name the same parent, the defaults
// filled in.
func sameParent(a, b gatewayv1.ParentReference, namespace string) bool {
	return equality.Semantic.DeepEqual(withDefaults(a, namespace), withDefaults(b, namespace))
}

func withDefaults(ref gatewayv1.ParentReference, namespace string) gatewayv1.ParentReference {
	group, kind, ns := gatewayv1.Group(gatewayv1.GroupName), gatewayv1.Kind("Gateway"), gatewayv1.Namespace(namespace)
	if ref.Group == nil {
		ref.Group = &group
	}
	if ref.Kind == nil {
		ref.Kind = &kind
	}
	if ref.Namespace == nil {
		ref.Namespace = &ns
	}
	return ref
}
