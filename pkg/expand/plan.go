package expand

import (
	"cmp"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
)

// Plan is the desired state of one object's children.
type Plan struct {
	// Objects are the children in the order in which they are applied: an
	// autoscaler comes before the Deployment that gives up its replicas to it.
	Objects []client.Object
	// Unpinned are the versions and tags without a match of the header, because the route
	// is at its limit.
	Unpinned []string
}

// The stages in which the objects of a plan are written. Where a route exists, it and the
// Services that it names come first: a bad version then loses its traffic whichever other
// child fails. What is missing is created stage by stage.
const (
	stageUrgent  = iota
	stagePods    // what pods need, and the workloads
	stageTraffic // what leads traffic to them
	stageRest
)

// InStages returns children in the order of their stages, and the stage of each.
func InStages(children []client.Object, hasRoute bool) ([]client.Object, func(client.Object) int) {
	urgent := map[string]bool{}
	for _, obj := range children {
		if route, ok := obj.(*gatewayv1.HTTPRoute); ok && hasRoute {
			for _, rule := range route.Spec.Rules {
				for _, b := range rule.BackendRefs {
					urgent[string(b.Name)] = true
				}
			}
		}
	}
	stage := func(obj client.Object) int {
		switch o := obj.(type) {
		case *corev1.Service:
			if urgent[o.Name] {
				return stageUrgent
			}
			return stageTraffic
		case *gatewayv1.HTTPRoute:
			if hasRoute {
				return stageUrgent
			}
			return stageTraffic
		case *policyv1.PodDisruptionBudget:
			return stageRest
		default:
			return stagePods
		}
	}
	out := slices.Clone(children)
	// A route comes behind the Services of its stage.
	rank := func(obj client.Object) int {
		if _, ok := obj.(*gatewayv1.HTTPRoute); ok {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(out, func(a, b client.Object) int {
		return cmp.Or(cmp.Compare(stage(a), stage(b)), cmp.Compare(rank(a), rank(b)))
	})
	return out, stage
}

// Kinds of an owner.
const (
	kindHandler = "GatiHandler"
	kindModule  = "GatiModule"
)

// LabelComponent is on every child, with one of these values.
const (
	LabelComponent   = "app.kubernetes.io/name"
	ComponentHandler = "gati-handler"
	ComponentModule  = "gati-module"
)

// owner is the object whose children are planned.
type owner struct {
	kind  string
	label string
	meta  *metav1.ObjectMeta
	// child is the name of most children.
	child string
	// component is the value of the label app.kubernetes.io/name.
	component string
}

// objectMeta returns the metadata of a child.
func (o owner) objectMeta(name string, extra map[string]string) metav1.ObjectMeta {
	labels := map[string]string{
		v1.LabelManagedBy:            v1.ManagedBy,
		LabelComponent:               o.component,
		"app.kubernetes.io/instance": o.meta.Name,
		o.label:                      o.meta.Name,
	}
	maps.Copy(labels, extra)
	meta := metav1.ObjectMeta{Name: name, Namespace: o.meta.Namespace, Labels: labels}
	if o.meta.UID != "" {
		yes := true
		meta.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: v1.GroupVersion.String(), Kind: o.kind, Name: o.meta.Name, UID: o.meta.UID,
			Controller: &yes, BlockOwnerDeletion: &yes,
		}}
	}
	return meta
}

// podSelector returns labels that exactly the pods of one workload have. They never
// change: a Deployment's selector is immutable.
func (o owner) podSelector(workload string) map[string]string {
	return map[string]string{o.label: o.meta.Name, v1.LabelWorkload: workload}
}
