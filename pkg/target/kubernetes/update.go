package kubernetes

import (
	"context"
	"encoding/json"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// updateObject makes the live object the desired one. Apply leaves what others have
// put beside our fields. Where that changes what ours mean, or does not go with
// them, it is overwritten first.
func (a *application) updateObject(ctx context.Context, want *unstructured.Unstructured, live, planned client.Object) error {
	if err := a.adoptCreated(ctx, live); err != nil {
		return err
	}
	if isWidened(live, planned) {
		if err := a.replaceSpec(ctx, want, live); err != nil {
			return err
		}
	}
	err := a.applyObject(ctx, want, live)
	if !apierrors.IsInvalid(err) {
		return err
	}
	if err := a.replaceSpec(ctx, want, live); err != nil {
		return err
	}
	return a.applyObject(ctx, want, live)
}

// countWrites is how many writes an update of the live object takes.
func countWrites(live, planned client.Object) int {
	writes := 1
	if isCreated(live.GetManagedFields()) {
		writes++
	}
	if isWidened(live, planned) {
		writes++
	}
	return writes
}

// applyObject applies the object to the live one of the same uid. With the uid the
// server refuses when the object was replaced in the meantime.
func (a *application) applyObject(ctx context.Context, want *unstructured.Unstructured, live client.Object) error {
	config := want.DeepCopy()
	config.SetUID(live.GetUID())
	config.SetGeneration(0)
	shared, err := a.sharesReplicas(ctx, want)
	if err != nil {
		return err
	}
	if shared {
		// Given up, the number of replicas falls to 1 if its holder has let go of it;
		// applied, it undoes what an autoscaler has set since. Let the server check that
		// the object is the one we looked at.
		config.SetResourceVersion(live.GetResourceVersion())
	}
	err = a.writer.Apply(ctx, client.ApplyConfigurationFromUnstructured(config),
		client.FieldOwner(v1.FieldManager), client.ForceOwnership)
	want.SetGeneration(config.GetGeneration())
	if err == nil {
		a.recent.rememberAnswer(config)
	}
	return err
}

// replaceSpec replaces each field of the spec as a whole, lists with the items of
// others in them too, and drops those of a NetworkPolicy that are not planned.
// live is brought up to date.
func (a *application) replaceSpec(ctx context.Context, want *unstructured.Unstructured, live client.Object) error {
	spec, _, _ := unstructured.NestedMap(want.Object, "spec")
	if spec == nil {
		return nil
	}
	if policy, ok := live.(*networkingv1.NetworkPolicy); ok {
		for field, set := range map[string]bool{"ingress": policy.Spec.Ingress != nil, "egress": policy.Spec.Egress != nil} {
			if _, planned := spec[field]; set && !planned {
				spec[field] = nil
			}
		}
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": live.GetUID(), "resourceVersion": live.GetResourceVersion()}, "spec": spec,
	})
	if err != nil {
		return err
	}
	return a.writer.Patch(ctx, live, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(v1.FieldManager))
}

// isWidened reports whether another manager has added to a NetworkPolicy. Every addition to
// a policy allows more connections, and ownership does not show additions.
func isWidened(live, planned client.Object) bool {
	is, ok := live.(*networkingv1.NetworkPolicy)
	should, same := planned.(*networkingv1.NetworkPolicy)
	return ok && same && !equality.Semantic.DeepEqual(is.Spec, should.Spec)
}

// adoptCreated turns the ownership that our create left into one by apply. Both
// would own the fields otherwise, and a field that a later apply leaves out
// would stay. It is done before the first change, not with the create: most
// objects are never changed.
func (a *application) adoptCreated(ctx context.Context, live client.Object) error {
	if !isCreated(live.GetManagedFields()) {
		return nil
	}
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(live, sets.New(v1.FieldManager), v1.FieldManager)
	if err != nil || patch == nil {
		return err
	}
	// The answer brings the new resourceVersion, which the apply may be bound to.
	return a.writer.Patch(ctx, live, client.RawPatch(types.JSONPatchType, patch))
}

// sharesReplicas reports whether another manager may write a workload's number of pods:
// it is applied without one, or has an autoscaler.
func (t *Target) sharesReplicas(ctx context.Context, want *unstructured.Unstructured) (bool, error) {
	if want.GetKind() != "Deployment" || omitsReplicas(want) {
		return omitsReplicas(want), nil
	}
	err := t.reader.Get(ctx, client.ObjectKeyFromObject(want), &autoscalingv2.HorizontalPodAutoscaler{})
	return err == nil, client.IgnoreNotFound(err)
}

// omitsReplicas reports whether a workload is applied without its number of pods.
func omitsReplicas(want *unstructured.Unstructured) bool {
	if want.GetKind() != "Deployment" {
		return false
	}
	_, set, _ := unstructured.NestedFieldNoCopy(want.Object, "spec", "replicas")
	return !set
}
