// Package version reconciles GatiVersions: it binds each record to a version of a handler,
// elects the record that counts, and copies the decision of the handler's controller to
// each record's status.
//
// It decides nothing about workloads and traffic: the handler's controller does that for
// all of its versions.
package version

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/records"
)

// Reconciler keeps the labels and the status of GatiVersions.
type Reconciler struct {
	// Client reads from the cache and writes.
	Client client.Client
	// Admit is the pipeline that admission runs.
	Admit admit.Pipeline
	Clock clock.PassiveClock
}

// Reconcile brings one record up to date.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var record v1.GatiVersion
	if err := r.Client.Get(ctx, req.NamespacedName, &record); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if record.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	handlers, err := r.findCandidates(ctx, &record)
	if err != nil {
		return ctrl.Result{}, err
	}
	// What the webhook would have refused was stored while its configuration was
	// away. It is not bound; a binding that it has stays.
	faults := r.Admit.Version(&record, nil).Errors
	binding, problem := records.Bind(&record, knownHandlers(handlers))
	automatic := records.IsAutomatic(&record) && !records.TakenOver(&record)
	handler := findHandler(handlers, binding.Handler)
	if problem == "" && len(faults) == 0 {
		if err := r.updateMetadata(ctx, &record, binding, automatic, handler); err != nil {
			return ctrl.Result{}, err
		}
	}
	if automatic && handler != nil && handler.Status.IsUndecided() {
		return ctrl.Result{}, nil // Its status comes with that of the handler, in one write.
	}
	siblings, err := r.findSiblings(ctx, &record, binding, automatic)
	if err != nil {
		return ctrl.Result{}, err
	}
	others, err := r.otherRecords(ctx, &record, binding.Handler)
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.report(ctx, &record, view{
		faults: faults, binding: binding, problem: problem, automatic: automatic,
		election: records.Elect(siblings), handler: handler, others: others,
	})
}

// findCandidates returns the handlers that a record may belong to: the one that it is
// bound to, or else all of its namespace.
func (r *Reconciler) findCandidates(ctx context.Context, record *v1.GatiVersion) ([]v1.GatiHandler, error) {
	if b, ok := records.Bound(record); ok {
		var h v1.GatiHandler
		err := r.Client.Get(ctx, client.ObjectKey{Namespace: record.Namespace, Name: b.Handler}, &h)
		if err != nil {
			return nil, client.IgnoreNotFound(err)
		}
		return []v1.GatiHandler{h}, nil
	}
	var list v1.GatiHandlerList
	err := r.Client.List(ctx, &list, client.InNamespace(record.Namespace))
	return list.Items, err
}

// knownHandlers returns what binding needs to know of the handlers.
func knownHandlers(handlers []v1.GatiHandler) []records.Handler {
	var out []records.Handler
	for i := range handlers {
		h := &handlers[i]
		k := records.Handler{Name: h.Name, Declared: declaredVersion(h)}
		for _, v := range h.Status.Versions {
			k.Versions = append(k.Versions, v.Version)
		}
		out = append(out, k)
	}
	return out
}

// declaredVersion is the version that a handler's spec declares, as far as it is known: a
// derived one is known once this spec has been reconciled. The status of an earlier one
// would bind a record to the earlier version for good.
func declaredVersion(h *v1.GatiHandler) string {
	if h.Spec.Version != "" {
		return string(h.Spec.Version)
	}
	if h.Status.ObservedGeneration < h.Generation {
		return ""
	}
	return h.Status.Version
}

// updateMetadata puts the labels of a record in agreement with its binding, frees one that a
// user has made their own, and gives one that an orphaning delete has left to the next handler
// of the name. People select by these labels; the status decides.
func (r *Reconciler) updateMetadata(ctx context.Context, record *v1.GatiVersion, b records.Binding, automatic bool, handler *v1.GatiHandler) error {
	before := record.DeepCopy()
	setKey(&record.Labels, v1.LabelHandler, b.Handler)
	setKey(&record.Labels, v1.LabelVersion, naming.Slug(b.Version, 1))
	if automatic {
		setKey(&record.Labels, v1.LabelAutomatic, "true")
		if handler != nil && handler.DeletionTimestamp == nil && len(record.OwnerReferences) == 0 {
			record.OwnerReferences = []metav1.OwnerReference{records.OwnerOf(handler)}
		}
	} else if _, marked := record.Labels[v1.LabelAutomatic]; marked {
		delete(record.Labels, v1.LabelAutomatic)
		delete(record.Labels, v1.LabelManagedBy)
		record.OwnerReferences = slices.DeleteFunc(record.OwnerReferences, ownerIsHandler)
	}
	if equality.Semantic.DeepEqual(before.ObjectMeta, record.ObjectMeta) {
		return nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Patch(ctx, record, patch, client.FieldOwner(v1.FieldManager)); err != nil {
		return fmt.Errorf("label record: %w", err)
	}
	return nil
}

// findSiblings returns the records of the same version, this one as it is about to be.
func (r *Reconciler) findSiblings(ctx context.Context, record *v1.GatiVersion, b records.Binding, automatic bool) ([]*v1.GatiVersion, error) {
	own := record.DeepCopy()
	own.Status.Automatic = &automatic
	out := []*v1.GatiVersion{own}
	if b.Handler == "" {
		return out, nil
	}
	list, err := observe.VersionRecords(ctx, r.Client, record.Namespace, b.Handler, b.Version)
	for i := range list {
		other, ok := records.Bound(&list[i])
		if ok && other == b && list[i].Name != record.Name {
			out = append(out, &list[i])
		}
	}
	return out, err
}

func findHandler(handlers []v1.GatiHandler, name string) *v1.GatiHandler {
	for i := range handlers {
		if handlers[i].Name == name {
			return &handlers[i]
		}
	}
	return nil
}
