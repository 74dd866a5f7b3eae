package diff

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/api/v1alpha1"
	"gati.dev/gati/pkg/admit"
)

const (
	// lastApplied is where kubectl apply keeps the manifest of the apply before.
	lastApplied = "kubectl.kubernetes.io/last-applied-configuration"
	// The names that kubectl apply goes by.
	clientSideManager, serverSideManager = "kubectl-client-side-apply", "kubectl"
)

// dryRun returns what an apply makes of a document, as gati.dev/v1.
func (o *options) dryRun(ctx context.Context, doc *admit.Document) (client.Object, error) {
	if doc.Err != nil {
		return nil, apierrors.NewBadRequest(doc.Err.Error())
	}
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal(doc.Content, &u.Object); err != nil {
		return nil, err
	}
	switch given := o.env.GivenNamespace(); {
	case u.GetNamespace() == "":
		u.SetNamespace(o.namespace)
	case given != "" && given != u.GetNamespace():
		return nil, apierrors.NewBadRequest(fmt.Sprintf("its namespace is %s, but -n is %s: kubectl apply refuses that", u.GetNamespace(), given))
	}
	var err error
	if o.serverSide {
		u, err = o.serverSideApply(ctx, u)
	} else {
		u, err = o.clientSideApply(ctx, u)
	}
	if err != nil {
		return nil, err
	}
	return decodeTyped(u)
}

func (o *options) serverSideApply(ctx context.Context, u *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	opts := []client.ApplyOption{client.FieldOwner(o.managerOr(serverSideManager)), client.DryRunAll}
	if o.force {
		opts = append(opts, client.ForceOwnership)
	}
	return u, o.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), opts...)
}

// clientSideApply does what kubectl apply does to a kind that it has no schema of: a
// merge patch of three sides.
func (o *options) clientSideApply(ctx context.Context, u *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	manager := client.FieldOwner(o.managerOr(clientSideManager))
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(u.GroupVersionKind())
	err := o.client.Get(ctx, client.ObjectKeyFromObject(u), live)
	if apierrors.IsNotFound(err) {
		return u, o.client.Create(ctx, u, client.DryRunAll, manager)
	}
	if err != nil {
		return nil, err
	}
	modified, err := json.Marshal(u)
	if err != nil {
		return nil, err
	}
	current, err := json.Marshal(live)
	if err != nil {
		return nil, err
	}
	patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch([]byte(live.GetAnnotations()[lastApplied]), modified, current)
	if err != nil {
		return nil, err
	}
	return live, o.client.Patch(ctx, live, client.RawPatch(types.MergePatchType, patch), client.DryRunAll, manager)
}

// decodeTyped reads an object of gati.dev, of either version.
func decodeTyped(u *unstructured.Unstructured) (client.Object, error) {
	content := u.Object
	if u.GroupVersionKind().GroupVersion() == v1alpha1.GroupVersion {
		newer, err := v1alpha1.ToV1(content)
		if err != nil {
			return nil, err
		}
		content = newer
	}
	var out client.Object
	switch u.GetKind() {
	case "GatiHandler":
		out = &v1.GatiHandler{}
	case "GatiModule":
		out = &v1.GatiModule{}
	default:
		out = &v1.GatiVersion{}
	}
	return out, runtime.DefaultUnstructuredConverter.FromUnstructured(content, out)
}

// isRefusal reports whether the API server, or a webhook that it calls, refuses an object.
func isRefusal(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err) || apierrors.IsConflict(err)
}
