package admission

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/records"
	"gati.dev/gati/pkg/rollout"
)

// shared refuses a share of the traffic for one version more than a route has room
// for. It asks the API server, as two records may be applied a moment after each
// other; what gets by all the same leaves the weights as they are, and the
// handler's status tells.
func (v *Validator) shared(ctx context.Context, obj, old client.Object) (field.ErrorList, error) {
	record, is := obj.(*v1.GatiVersion)
	if !is || !asksForTraffic(record) || asksForTraffic(old) {
		return nil, nil
	}
	if v.Cache != nil {
		// Strategies seldom change, and what is seen is not asked for.
		if h, err := v.handlerOf(ctx, v.Cache, record); err == nil && h != nil && !sharesByRecord(h) {
			return nil, nil
		}
	}
	h, err := v.handlerOf(ctx, v.Live, record)
	if err != nil || h == nil || !sharesByRecord(h) {
		return nil, err
	}
	var others v1.GatiVersionList
	if err := v.Live.List(ctx, &others, client.InNamespace(record.Namespace)); err != nil {
		return nil, err
	}
	have := records.Sharing(record, others.Items, live(h))
	if len(have) < rollout.MaxShares {
		return nil, nil
	}
	why := fmt.Sprintf("an HTTPRoute shares the traffic among %d versions at most, and %s have a share; set one of theirs to 0 first, as does: kubectl gati version set-traffic %s %s=0",
		rollout.MaxShares, strings.Join(have, ", "), h.Name, have[0])
	return field.ErrorList{field.Invalid(field.NewPath("spec", "traffic"), *record.Spec.Traffic, why)}, nil
}

// asksForTraffic reports whether an object is a record that asks for a share.
func asksForTraffic(obj client.Object) bool {
	r, is := obj.(*v1.GatiVersion)
	return is && r != nil && r.Spec.Traffic != nil && *r.Spec.Traffic > 0
}

// sharesByRecord reports whether a route shares a handler's traffic as the records say.
func sharesByRecord(h *v1.GatiHandler) bool {
	return h.Spec.Route != nil && h.Spec.Rollout != nil && h.Spec.Rollout.Strategy == v1.StrategyManual
}

// live are the versions of a handler that have a workload.
func live(h *v1.GatiHandler) []string {
	var out []string
	for _, s := range h.Status.Versions {
		if s.Phase != v1.VersionDecommissioned {
			out = append(out, s.Version)
		}
	}
	return out
}
