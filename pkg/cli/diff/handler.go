package diff

import (
	"context"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/planned"
	"gati.dev/gati/pkg/helmchart"
	"gati.dev/gati/pkg/target/kubernetes"
)

// diffHandler compares the children of a handler with those that are planned.
func (w *world) diffHandler(ctx context.Context, h *v1.GatiHandler) (Item, error) {
	item := Item{Kind: "GatiHandler", Namespace: h.Namespace, Name: h.Name}
	children, err := w.planner.Handler(ctx, h, func(stored []v1.GatiVersion) []v1.GatiVersion {
		return w.applied.overlayRecords(stored, h.Namespace, h.Name)
	})
	if err != nil {
		return item, err
	}
	item.Note = children.Reason
	item.Changes, err = w.compareChildren(ctx, h, item.Kind, &children)
	return item, err
}

// diffModule compares the children of a module with those that are planned.
func (w *world) diffModule(ctx context.Context, m *v1.GatiModule) (Item, error) {
	item := Item{Kind: "GatiModule", Namespace: m.Namespace, Name: m.Name}
	children, err := w.planner.Module(ctx, m)
	if err != nil {
		return item, err
	}
	item.Changes, err = w.compareChildren(ctx, m, item.Kind, &children)
	return item, err
}

// compareChildren compares planned children with the live ones. The content of a new
// revision is not shown: it is the template of the Deployment.
func (w *world) compareChildren(ctx context.Context, owner client.Object, kind string, children *planned.Children) ([]Change, error) {
	// Without its kind, the object cannot be compared with the owner of a foreign one.
	owner.GetObjectKind().SetGroupVersionKind(v1.GroupVersion.WithKind(kind))
	found, err := kubernetes.Changes(ctx, w.client, w.client.Scheme(), owner, asInstalled(owner, children.Children), kubernetes.Removable(children.Routes, children.ScaledObjects))
	if err != nil {
		return nil, cluster.Explain(err)
	}
	changes := changesOf(found)
	if r := children.Revision; r != nil {
		changes = append(changes, Change{Kind: "ControllerRevision.apps", Name: r.Name, Action: kubernetes.Create})
	}
	return changes, nil
}

// asInstalled returns planned objects as the owner's target applies them.
func asInstalled(owner client.Object, plan []client.Object) []client.Object {
	if !slices.Contains(owner.GetFinalizers(), helmchart.Finalizer) {
		return plan
	}
	out := make([]client.Object, len(plan))
	for i, obj := range plan {
		out[i] = helmchart.Installed(obj)
	}
	return out
}
