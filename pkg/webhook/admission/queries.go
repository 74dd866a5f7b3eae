package admission

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/validation"
)

// asked refuses the queries that a request adds where the operator lets nobody ask
// any of their own. It is no check of pkg/validation: lint, which knows of no
// operator, would speak for one. Queries that were there before stay, and the
// controller says of them that they have no answer.
func (v *Validator) asked(obj, old client.Object) field.ErrorList {
	h, is := obj.(*v1.GatiHandler)
	if !is || v.Queries {
		return nil
	}
	before, _ := old.(*v1.GatiHandler)
	had := queries(before)
	var errs field.ErrorList
	for i, q := range queries(h) {
		if q != nil && !slices.ContainsFunc(had, func(o *v1.AnalysisQuery) bool { return o != nil && *o == *q }) {
			at := field.NewPath("spec", "rollout", "analysis", "metrics").Index(i).Child("query")
			errs = append(errs, field.Forbidden(at, validation.QueriesNotAllowed))
		}
	}
	return errs
}

// queries are those of a handler's metrics, nil for a metric that is none.
func queries(h *v1.GatiHandler) []*v1.AnalysisQuery {
	if h == nil || h.Spec.Rollout == nil || h.Spec.Rollout.Analysis == nil {
		return nil
	}
	var out []*v1.AnalysisQuery
	for _, m := range h.Spec.Rollout.Analysis.Metrics {
		out = append(out, m.Query)
	}
	return out
}
