package integration

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	v1 "gati.dev/gati/api/v1"

	"gati.dev/gati/test/support/await"
)

// childLists are the kinds of what stands below handlers and modules, HTTPRoutes
// apart.
func childLists() []client.ObjectList {
	return []client.ObjectList{
		&appsv1.DeploymentList{}, &appsv1.ReplicaSetList{}, &appsv1.ControllerRevisionList{},
		&corev1.ServiceList{}, &corev1.ConfigMapList{}, &corev1.PodList{},
		&autoscalingv2.HorizontalPodAutoscalerList{}, &policyv1.PodDisruptionBudgetList{},
		&networkingv1.NetworkPolicyList{},
	}
}

// listChildren names everything in a namespace that Gati has made, automatic records
// included: "Service handler-a".
func listChildren(ctx context.Context, ns string) ([]string, error) {
	var names []string
	for _, kind := range append(childLists(), &v1.GatiVersionList{}) {
		if err := admin.List(ctx, kind, client.InNamespace(ns), client.MatchingLabels{v1.LabelManagedBy: v1.ManagedBy}); err != nil {
			return nil, err
		}
		err := meta.EachListItem(kind, func(o runtime.Object) error {
			gvk, err := apiutil.GVKForObject(o, admin.Scheme())
			names = append(names, gvk.Kind+" "+o.(client.Object).GetName())
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(names)
	return names, nil
}

// noChildren waits until nothing that Gati has made is left in a namespace.
func noChildren(t *testing.T, ns string) {
	t.Helper()
	await.Eventually(t, "collection of all children in "+ns, func() error {
		names, err := listChildren(t.Context(), ns)
		if err == nil && len(names) > 0 {
			err = errors.New("left: " + strings.Join(names, ", "))
		}
		return err
	})
}

// listRevisions returns the revisions of a handler, oldest first.
func listRevisions(t *testing.T, ns, handler string) []appsv1.ControllerRevision {
	t.Helper()
	out := listObjects[appsv1.ControllerRevision, appsv1.ControllerRevisionList](t, ns, v1.LabelHandler, handler)
	slices.SortFunc(out, func(a, b appsv1.ControllerRevision) int { return int(a.Revision - b.Revision) })
	return out
}

// readRecords returns the records of a namespace: name to version.
func readRecords(t *testing.T, ns string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, v := range listObjects[v1.GatiVersion, v1.GatiVersionList](t, ns) {
		out[v.Name] = v.Status.Version
	}
	return out
}

// awaitSettled waits until nothing changes any more in a namespace's handlers,
// modules, records and Deployments.
func awaitSettled(t *testing.T, ns string) {
	t.Helper()
	awaitStill(t, "namespace "+ns, func() string {
		var state strings.Builder
		kinds := []client.ObjectList{&v1.GatiHandlerList{}, &v1.GatiModuleList{}, &v1.GatiVersionList{}, &appsv1.DeploymentList{}}
		for _, kind := range kinds {
			if err := admin.List(context.Background(), kind, client.InNamespace(ns)); err != nil {
				t.Fatalf("list %T: %v", kind, err)
			}
			_ = meta.EachListItem(kind, func(o runtime.Object) error {
				obj := o.(client.Object)
				fmt.Fprintln(&state, obj.GetName(), obj.GetResourceVersion())
				return nil
			})
		}
		return state.String()
	})
}

// countOf tells how many objects of a kind belong to a handler.
func countOf(t *testing.T, kind client.ObjectList, ns, handler string) int {
	t.Helper()
	if err := admin.List(t.Context(), kind, client.InNamespace(ns), client.MatchingLabels{v1.LabelHandler: handler}); err != nil {
		t.Fatalf("list %T: %v", kind, err)
	}
	return meta.LenList(kind)
}
