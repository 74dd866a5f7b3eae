package handler

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/expand"
)

// Indexes of handlers, in every namespace, by the claims of their spec and by those that
// a gateway has accepted.
const (
	claimIndex    = "gati.claim"
	acceptedIndex = "gati.accepted"
)

func claimKeys(obj client.Object) []string {
	h := obj.(*v1.GatiHandler)
	var out []string
	for _, c := range expand.Claims(h.Namespace, &h.Spec) {
		out = append(out, c.String())
	}
	return out
}

func acceptedKeys(obj client.Object) []string {
	var out []string
	if route := obj.(*v1.GatiHandler).Status.Route; route != nil {
		for _, c := range route.Claims {
			out = append(out, c.Claim)
		}
	}
	return out
}

// compareClaims dates the claims of a handler and compares them with those of others.
func (r *Reconciler) compareClaims(ctx context.Context, s *story) error {
	h := s.Handler
	s.claims = h.Status.Route
	if s.Facts.HTTPRouteServed {
		s.claims = decide.DateClaims(h.Status.Route, s.Claims, r.Clock.Now())
	}
	for _, claim := range claimKeys(h) {
		found, err := r.listClaimants(ctx, acceptedIndex, claim)
		if err != nil {
			return err
		}
		if rival := decide.FindRival(h, s.claims, claim, found); rival != nil {
			s.taken = &report.TakenError{Claim: claim, Owner: rival.Name}
			return nil
		}
		if decide.IsContestedAbroad(h, s.claims, claim, found) {
			s.contested = claim
		}
	}
	return nil
}

// listClaimants returns handlers of the cache itself, which must not be changed.
func (r *Reconciler) listClaimants(ctx context.Context, index, claim string) ([]v1.GatiHandler, error) {
	var list v1.GatiHandlerList
	if err := r.Client.List(ctx, &list, client.MatchingFields{index: claim}, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("find the handlers whose routes ask for %s: %w", claim, err)
	}
	return list.Items, nil
}

// findRivals finds the handlers that claim traffic that a gateway accepts, or accepted, for
// another one.
func (r *Reconciler) findRivals(ctx context.Context, obj client.Object) []reconcile.Request {
	var out []reconcile.Request
	told := map[types.UID]bool{obj.GetUID(): true}
	for _, claim := range acceptedKeys(obj) {
		found, err := r.listClaimants(ctx, claimIndex, claim)
		if err != nil {
			return out
		}
		for i := range found {
			if rival := &found[i]; !told[rival.UID] {
				told[rival.UID] = true
				out = append(out, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(rival)})
			}
		}
	}
	return out
}

// changesClaims passes the changes of a handler that its rivals need to know of.
var changesClaims = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	before, after := e.ObjectOld.(*v1.GatiHandler), e.ObjectNew.(*v1.GatiHandler)
	return !equality.Semantic.DeepEqual(before.Status.Route, after.Status.Route) ||
		(before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil)
}}
