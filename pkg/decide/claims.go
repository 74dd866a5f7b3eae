package decide

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// maxClaims is how many claims a status remembers; further ones count as not accepted.
const maxClaims = 128

// LiveClaim is a claim of a route in the cluster, with the answer of its parent.
type LiveClaim struct {
	Claim string
	// Accepted and Refused are false while the parent has not answered the route as it
	// is now. At is when the answer became what it is.
	Accepted, Refused bool
	At                time.Time
}

// DateClaims returns the claims of a route that its parents accept, with the time of the
// first acceptance. A claim keeps its date while an answer is missing, and loses it when
// the route has the claim no more or its parent refuses it.
func DateClaims(before *v1.RouteStatus, live []LiveClaim, now time.Time) *v1.RouteStatus {
	if len(live) == 0 {
		return nil
	}
	out := &v1.RouteStatus{}
	for _, c := range live {
		since, dated := FindClaim(before, c.Claim)
		switch _, noted := FindClaim(out, c.Claim); {
		case noted, c.Refused, !dated && !c.Accepted:
			continue
		case !dated && before == nil:
			since = metav1.NewTime(c.At) // The route is older than this status.
		case !dated:
			since = metav1.NewTime(now)
		}
		out.Claims = append(out.Claims, v1.ClaimStatus{Claim: c.Claim, Since: since.Rfc3339Copy()})
	}
	if before == nil && len(out.Claims) == 0 {
		return nil
	}
	slices.SortFunc(out.Claims, func(a, b v1.ClaimStatus) int {
		return cmp.Or(a.Since.Compare(b.Since.Time), cmp.Compare(a.Claim, b.Claim))
	})
	out.Claims = out.Claims[:min(len(out.Claims), maxClaims)]
	return out
}

// FindClaim returns when a claim was first accepted, and whether it is.
func FindClaim(route *v1.RouteStatus, claim string) (since metav1.Time, accepted bool) {
	if route == nil {
		return since, false
	}
	at := slices.IndexFunc(route.Claims, func(c v1.ClaimStatus) bool { return c.Claim == claim })
	if at < 0 {
		return since, false
	}
	return route.Claims[at].Since, true
}

// FindRival returns the handler that had a claim before h: one of the namespace of h
// whose parent accepted it first. own are the accepted claims of h. Between namespaces
// the gateway decides, by the rules of the Gateway API.
func FindRival(h *v1.GatiHandler, own *v1.RouteStatus, claim string, claimants []v1.GatiHandler) *v1.GatiHandler {
	mine, have := FindClaim(own, claim)
	for i := range claimants {
		rival := &claimants[i]
		theirs, has := FindClaim(rival.Status.Route, claim)
		if !has || rival.Namespace != h.Namespace || rival.Name == h.Name || rival.DeletionTimestamp != nil {
			continue
		}
		if !have || cmp.Or(theirs.Compare(mine.Time), rival.CreationTimestamp.Compare(h.CreationTimestamp.Time), cmp.Compare(rival.Name, h.Name)) < 0 {
			return rival
		}
	}
	return nil
}

// IsContestedAbroad reports whether the gateway accepts a claim of h for a handler of
// another namespace, too. Of a claim that it does not accept for h this reveals nothing.
func IsContestedAbroad(h *v1.GatiHandler, own *v1.RouteStatus, claim string, claimants []v1.GatiHandler) bool {
	if _, accepted := FindClaim(own, claim); !accepted {
		return false
	}
	return slices.ContainsFunc(claimants, func(other v1.GatiHandler) bool {
		_, has := FindClaim(other.Status.Route, claim)
		return has && other.Namespace != h.Namespace && other.DeletionTimestamp == nil
	})
}
