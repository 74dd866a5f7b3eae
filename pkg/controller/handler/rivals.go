package handler

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/expand"
)

// claimIndex finds handlers, in every namespace, by what their routes ask for.
const claimIndex = "gati.claim"

func claimKeys(obj client.Object) []string {
	h := obj.(*v1.GatiHandler)
	var out []string
	for _, c := range expand.Claims(h.Namespace, &h.Spec) {
		out = append(out, c.String())
	}
	return out
}

// findTaken returns an older handler's route that has what this one's asks for. The
// gateway would give the traffic to one of them without a word.
func (r *Reconciler) findTaken(ctx context.Context, h *v1.GatiHandler) (*report.TakenError, error) {
	for _, c := range expand.Claims(h.Namespace, &h.Spec) {
		rivals, err := r.claimants(ctx, c.String())
		if err != nil {
			return nil, err
		}
		for _, rival := range rivals {
			if rival.UID != h.UID && rival.DeletionTimestamp == nil && older(&rival, h) {
				return &report.TakenError{Claim: c.String(), Owner: rival.Namespace + "/" + rival.Name}, nil
			}
		}
	}
	return nil, nil
}

func (r *Reconciler) claimants(ctx context.Context, claim string) ([]v1.GatiHandler, error) {
	var list v1.GatiHandlerList
	if err := r.Client.List(ctx, &list, client.MatchingFields{claimIndex: claim}); err != nil {
		return nil, fmt.Errorf("find the handlers whose routes ask for %s: %w", claim, err)
	}
	return list.Items, nil
}

// older orders handlers by creation, and those of one second by name.
func older(a, b *v1.GatiHandler) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	return a.Namespace+"/"+a.Name < b.Namespace+"/"+b.Name
}

// rivals finds the handlers that ask for what another one does: when that one
// changes or goes, theirs may be free.
func (r *Reconciler) rivals(ctx context.Context, obj client.Object) []reconcile.Request {
	var out []reconcile.Request
	for _, claim := range claimKeys(obj) {
		found, err := r.claimants(ctx, claim)
		if err != nil {
			return out
		}
		for i := range found {
			request := reconcile.Request{NamespacedName: types.NamespacedName{Namespace: found[i].Namespace, Name: found[i].Name}}
			if found[i].UID != obj.GetUID() && !slices.Contains(out, request) {
				out = append(out, request)
			}
		}
	}
	return out
}
