package diff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/api/v1alpha1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/admit/crd"
	"gati.dev/gati/pkg/admit/offline"
	"gati.dev/gati/pkg/cli/manifest"
)

const (
	// lastApplied is where kubectl apply keeps the manifest of the apply before.
	lastApplied = "kubectl.kubernetes.io/last-applied-configuration"
	// The names that kubectl apply goes by.
	clientSideManager, serverSideManager = "kubectl-client-side-apply", "kubectl"
)

// tryApply returns what an apply makes of a document among the others of its files, as
// gati.dev/v1: they may make its namespace, or give that an image.
func (o *options) tryApply(ctx context.Context, set *manifest.Set, doc *admit.Document) (client.Object, error) {
	if doc.Err != nil {
		return nil, apierrors.NewBadRequest(doc.Err.Error())
	}
	u, err := o.readObject(doc)
	if err != nil {
		return nil, err
	}
	after, err := o.dryRun(ctx, u.DeepCopy())
	image, isMade := set.NamespaceImage(u.GetNamespace())
	switch {
	case err == nil || !isMade:
		return after, err
	case lacksNamespace(err):
		doc.Object.SetNamespace(u.GetNamespace())
		return checkOffline(set, doc)
	case image == "" || !isRefusal(err) || !takesImageOfNamespace(doc.Object):
		return nil, err
	}
	// The API server knows the namespace as it is stored.
	if err := unstructured.SetNestedField(u.Object, image, "spec", "image"); err != nil {
		return nil, err
	}
	if after, err = o.dryRun(ctx, u); err != nil {
		return nil, err
	}
	clearImage(after)
	return after, nil
}

// readObject returns a document in the namespace that an apply would put it into.
func (o *options) readObject(doc *admit.Document) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal(doc.Content, &u.Object); err != nil {
		return nil, err
	}
	switch given := o.env.GivenNamespace(); {
	case u.GetNamespace() == "":
		u.SetNamespace(o.namespace)
	case given != "" && given != u.GetNamespace():
		return nil, apierrors.NewBadRequest(fmt.Sprintf("its namespace is %s, but -n is %s: kubectl refuses that", u.GetNamespace(), given))
	}
	return u, nil
}

// dryRun returns what an apply makes of an object.
func (o *options) dryRun(ctx context.Context, u *unstructured.Unstructured) (client.Object, error) {
	apply := o.clientSideApply
	if o.serverSide {
		apply = o.serverSideApply
	}
	after, err := apply(ctx, u)
	if err != nil {
		return nil, err
	}
	return decodeTyped(after)
}

// lacksNamespace reports whether an object cannot be created because its namespace does not exist.
func lacksNamespace(err error) bool {
	status := apierrors.APIStatus(nil)
	return apierrors.IsNotFound(err) && errors.As(err, &status) && status.Status().Details != nil && status.Status().Details.Kind == "namespaces"
}

// checkOffline returns an object as it is written. The API server tries nothing in a namespace
// that does not exist.
func checkOffline(set *manifest.Set, doc *admit.Document) (client.Object, error) {
	schemas, err := crd.Shipped()
	if err != nil {
		return nil, err
	}
	for _, f := range offline.Check(doc, nil, schemas, admit.Surroundings{Facts: set.Facts(doc.Object.GetNamespace(), "")}) {
		if f.Severity == offline.Error {
			return nil, apierrors.NewBadRequest(strings.TrimPrefix(f.Field+": "+f.Message, ": "))
		}
	}
	return doc.Object, nil
}

// takesImageOfNamespace reports whether an object has no image of its own.
func takesImageOfNamespace(o client.Object) bool {
	switch o := o.(type) {
	case *v1.GatiHandler:
		return o.Spec.Image == ""
	case *v1.GatiModule:
		return o.Spec.Image == ""
	default:
		return false
	}
}

func clearImage(o client.Object) {
	switch o := o.(type) {
	case *v1.GatiHandler:
		o.Spec.Image = ""
	case *v1.GatiModule:
		o.Spec.Image = ""
	}
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
