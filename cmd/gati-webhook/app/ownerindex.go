package app

import (
	"context"
	"fmt"
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// indexName is the index of cached objects by the handler or module that their labels
// name.
const indexName = "gati.owner"

// unowned is the index's key for objects that belong to nothing yet.
const unowned = "-"

// ownerIndex is a cached client whose lists by owner use the index: it finds the
// children of one handler or module without walking over those of all others. It answers
// as the client does.
type ownerIndex struct {
	client.Client
	// indexed has the types of the lists of indexed kinds.
	indexed map[reflect.Type]bool
}

// newRecordIndex returns the manager's client with an index of the records, the only
// children that the hooks cache.
func newRecordIndex(mgr ctrl.Manager) (*ownerIndex, error) {
	return newOwnerIndex(mgr, &v1.GatiVersion{})
}

// newChildIndex returns the manager's client with an index of the children of each
// handler and module.
func newChildIndex(mgr ctrl.Manager) (*ownerIndex, error) {
	return newOwnerIndex(mgr,
		&appsv1.Deployment{}, &appsv1.ControllerRevision{}, &corev1.Service{}, &corev1.ConfigMap{}, &corev1.Pod{},
		&autoscalingv2.HorizontalPodAutoscaler{}, &policyv1.PodDisruptionBudget{}, &networkingv1.NetworkPolicy{}, &v1.GatiVersion{},
		&discoveryv1.EndpointSlice{}, &batchv1.Job{},
	)
}

// newOwnerIndex indexes the given kinds in the manager's cache.
func newOwnerIndex(mgr ctrl.Manager, kinds ...client.Object) (*ownerIndex, error) {
	out := &ownerIndex{Client: mgr.GetClient(), indexed: map[reflect.Type]bool{}}
	for _, kind := range kinds {
		if err := mgr.GetFieldIndexer().IndexField(context.Background(), kind, indexName, ownerKeys); err != nil {
			return nil, fmt.Errorf("index %T by owner: %w", kind, err)
		}
		gvk, err := out.GroupVersionKindFor(kind)
		if err != nil {
			return nil, err
		}
		list, err := mgr.GetScheme().New(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
		if err != nil {
			return nil, err
		}
		out.indexed[reflect.TypeOf(list)] = true
	}
	return out, nil
}

// List implements client.Reader.
func (c *ownerIndex) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	o := (&client.ListOptions{}).ApplyOptions(opts)
	if key := ownerKey(o.LabelSelector); key != "" && o.FieldSelector == nil && c.indexed[reflect.TypeOf(list)] {
		opts = append(opts, client.MatchingFields{indexName: key})
	}
	return c.Client.List(ctx, list, opts...)
}

// ownerKeys are the keys under which an object is found.
func ownerKeys(obj client.Object) []string {
	for _, label := range ownerLabels {
		if name := obj.GetLabels()[label]; name != "" {
			return []string{label + "=" + name}
		}
	}
	return []string{unowned}
}

var ownerLabels = []string{v1.LabelHandler, v1.LabelModule}

// ownerKey returns the owner's key in a label selector, empty when the selector does not
// name exactly one owner.
func ownerKey(selector labels.Selector) string {
	if selector == nil {
		return ""
	}
	requirements, _ := selector.Requirements()
	for _, r := range requirements {
		for _, label := range ownerLabels {
			switch {
			case r.Key() != label:
			case r.Operator() == selection.DoesNotExist:
				return unowned
			case len(r.ValuesUnsorted()) == 1 && (r.Operator() == selection.Equals || r.Operator() == selection.In):
				return label + "=" + r.ValuesUnsorted()[0]
			}
		}
	}
	return ""
}
