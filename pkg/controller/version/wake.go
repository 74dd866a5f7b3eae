package version

import (
	"cmp"
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/trigger"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/records"
)

// enqueueRecords enqueues the records that a change concerns. An object that comes or goes is its
// own state before and after.
func enqueueRecords[T client.Object](concerned func(ctx context.Context, before, after T) ([]v1.GatiVersion, error)) handler.EventHandler {
	type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]
	add := func(ctx context.Context, before, after client.Object, q queue) {
		// A cache that cannot be read has stopped, and so has the controller.
		list, err := concerned(ctx, before.(T), after.(T))
		if err != nil {
			return
		}
		for _, request := range trigger.Requests(&v1.GatiVersionList{Items: list}) {
			q.Add(request)
		}
	}
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) { add(ctx, e.Object, e.Object, q) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) { add(ctx, e.ObjectOld, e.ObjectNew, q) },
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) { add(ctx, e.Object, e.Object, q) },
	}
}

// findNeighbours finds the records that show something of another one: those of its version,
// among which one counts, and those whose tags or transformers meet its own.
func (r *Reconciler) findNeighbours(ctx context.Context, before, after *v1.GatiVersion) ([]v1.GatiVersion, error) {
	name, version := records.About(after)
	if name == "" || before != after && !records.HasChanged(before, after) {
		return nil, nil
	}
	out, err := observe.VersionRecords(ctx, r.Client, after.Namespace, name, version)
	if err == nil && (records.HasShared(before) || records.HasShared(after)) {
		var shared []v1.GatiVersion
		shared, err = observe.SharedRecords(ctx, r.Client, after.Namespace, name)
		out = append(out, shared...)
	}
	return slices.DeleteFunc(out, func(v v1.GatiVersion) bool { return v.Name == after.Name }), err
}

// findConcerned finds the records that show something of a change of their handler: weights
// and numbers of pods are none of it.
func (r *Reconciler) findConcerned(ctx context.Context, before, after *v1.GatiHandler) ([]v1.GatiVersion, error) {
	if before == after {
		return r.allOf(ctx, after)
	}
	var out []v1.GatiVersion
	was, is := shownVersions(before), shownVersions(after)
	for version := range unionOfKeys(was, is) {
		if equality.Semantic.DeepEqual(was[version], is[version]) {
			continue
		}
		list, err := observe.VersionRecords(ctx, r.Client, after.Namespace, after.Name, version)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	if declaredVersion(before) == declaredVersion(after) && slices.Equal(versionOrder(before), versionOrder(after)) {
		return out, nil
	}
	// Transformers lead from version to version, and an open record waits for one.
	shared, err := observe.SharedRecords(ctx, r.Client, after.Namespace, after.Name)
	if err != nil {
		return nil, err
	}
	open, err := observe.VersionRecords(ctx, r.Client, after.Namespace, after.Name, "")
	if err != nil {
		return nil, err
	}
	unbound, err := observe.UnboundRecords(ctx, r.Client, after.Namespace)
	return slices.Concat(out, shared, open, unbound), err
}

// allOf finds the records of a handler and those that belong to none yet.
func (r *Reconciler) allOf(ctx context.Context, h *v1.GatiHandler) ([]v1.GatiVersion, error) {
	own, err := observe.Records(ctx, r.Client, h.Namespace, h.Name)
	if err != nil {
		return nil, err
	}
	unbound, err := observe.UnboundRecords(ctx, r.Client, h.Namespace)
	return append(own, unbound...), err
}

// shownVersions returns what records show of each version.
func shownVersions(h *v1.GatiHandler) map[string][]v1.VersionStatus {
	out := map[string][]v1.VersionStatus{}
	for i := range h.Status.Versions {
		v := &h.Status.Versions[i]
		out[v.Version] = append(out[v.Version], v1.VersionStatus{
			Phase: v.Phase, Held: v.Held, OverriddenBy: v.OverriddenBy, Breaking: v.Breaking, Findings: v.Findings, Schema: v.Schema,
		})
	}
	return out
}

// versionOrder returns the versions in the order of their first admission.
func versionOrder(h *v1.GatiHandler) []string {
	known := slices.Clone(h.Status.Versions)
	slices.SortStableFunc(known, func(a, b v1.VersionStatus) int { return cmp.Compare(a.Sequence, b.Sequence) })
	out := make([]string, len(known))
	for i := range known {
		out[i] = known[i].Version
	}
	return slices.Compact(out)
}

func unionOfKeys(a, b map[string][]v1.VersionStatus) map[string]bool {
	out := map[string]bool{}
	for _, m := range []map[string][]v1.VersionStatus{a, b} {
		for key := range m {
			out[key] = true
		}
	}
	return out
}
