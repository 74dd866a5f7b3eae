package kubernetes

import (
	"context"
	"encoding/json"
	"errors"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/ownership"
	"gati.dev/gati/pkg/target"
)

// Preview dry-runs planned objects at the API server.
type Preview struct{ *application }

// NewPreview returns a Preview. The client must not read from a cache, which shows neither
// foreign objects nor recent writes.
func NewPreview(live client.Client) *Preview {
	t := &Target{reader: live, live: live, writer: client.NewDryRunClient(live), scheme: live.Scheme()}
	return &Preview{t.beginApplication(nil, target.Plan{})}
}

// Check returns what keeps an object from being applied for its owner, nil when
// nothing does. It does what Target.Apply does, as far as that can be done
// without writing.
func (p *Preview) Check(ctx context.Context, owner, obj client.Object) error {
	want, hash, err := Desired(obj)
	if err != nil {
		return err
	}
	live, err := p.getLive(ctx, p.live, obj)
	if err != nil {
		return err
	}
	if live == nil {
		return p.createObject(ctx, obj, want)
	}
	if isTaken(live) || isLeft(live) {
		return nil // It becomes the owner's once its ScaledObject is gone.
	}
	if !ownership.IsChild(live, owner) && !isOrphaned(live) {
		problem := target.NotOwnedError(p.kindOf(obj), live, owner)
		if leaving := (*target.LeavingError)(nil); errors.As(problem, &leaving) {
			return nil
		}
		return problem
	}
	if live.GetDeletionTimestamp() != nil {
		return nil // It is made anew later. What would be said of that cannot be asked now.
	}
	if live.GetAnnotations()[v1.AnnotationApplied] == hash && IsCurrent(live, ownableFields(want)) {
		return nil // Nothing would be written.
	}
	return p.previewUpdate(ctx, want, live)
}

// Create returns what keeps an object from being created, beside those that
// exist.
func (p *Preview) Create(ctx context.Context, obj client.Object) error {
	return p.writer.Create(ctx, obj.DeepCopyObject().(client.Object), client.FieldOwner(v1.FieldManager))
}

// previewUpdate is update in one write: a dry run does not see the result of an earlier
// one. Where update would first hand the fields of the create over, or has to overwrite
// what others added, the fields are replaced.
func (a *application) previewUpdate(ctx context.Context, want *unstructured.Unstructured, live client.Object) error {
	if !isCreated(live.GetManagedFields()) {
		if err := a.applyObject(ctx, want, live); !apierrors.IsInvalid(err) {
			return err
		}
	}
	patch, err := replacementPatch(want, live)
	if err != nil {
		return err
	}
	return a.writer.Patch(ctx, live, client.RawPatch(types.JSONPatchType, patch), client.FieldOwner(v1.FieldManager))
}

// operation is one of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// replacementPatch is the JSON patch that makes the fields of the live object the
// desired ones.
func replacementPatch(want *unstructured.Unstructured, live client.Object) ([]byte, error) {
	patch := []operation{
		{"test", "/metadata/uid", live.GetUID()},
		{"add", "/metadata/labels", want.GetLabels()},
	}
	for key, value := range want.Object {
		switch key {
		case "apiVersion", "kind", "metadata":
		case "spec":
			patch = append(patch, operation{"add", "/spec", withLiveReplicas(want, value, live)})
		default:
			patch = append(patch, operation{"add", "/" + key, value})
		}
	}
	return json.Marshal(patch)
}

// withLiveReplicas keeps the number of replicas where another manager has it:
// replaced, the field would fall back to 1.
func withLiveReplicas(want *unstructured.Unstructured, spec any, live client.Object) any {
	d, ok := live.(*appsv1.Deployment)
	fields, isMap := spec.(map[string]any)
	if !ok || !isMap || !omitsReplicas(want) || d.Spec.Replicas == nil {
		return spec
	}
	out := maps.Clone(fields)
	out["replicas"] = *d.Spec.Replicas
	return out
}
