package expand

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// Plan is what should exist for one object.
type Plan struct {
	// Objects are the children in the order in which they are to be applied: an
	// autoscaler comes before the Deployment that gives its replicas up to it.
	Objects []client.Object
	// Unpinned are the versions that no header leads to, because the route has no
	// room for more rules.
	Unpinned []string
}

// Live is what the cluster says of a workload that the plan depends on: who
// decides on its number of pods.
type Live struct {
	// Replicas is the Deployment's desired number, nil where there is none yet.
	Replicas *int32
	// HeldByOther reports whether another manager owns that number.
	HeldByOther bool
	// AutoscalerActive reports whether an autoscaler has taken the Deployment up.
	AutoscalerActive bool
}

// owner is the object that a plan is of.
type owner struct {
	kind  string
	label string
	meta  *metav1.ObjectMeta
	// child is the name of most children.
	child string
	// component names what runs, for people.
	component string
}

// object returns the metadata that a child of this owner has.
func (o owner) object(name string, extra map[string]string) metav1.ObjectMeta {
	labels := map[string]string{
		v1.LabelManagedBy:            v1.ManagedBy,
		"app.kubernetes.io/name":     o.component,
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

// selector returns the labels that the pods of one workload have and no other
// pods have. They never change: a Deployment's selector is immutable.
func (o owner) selector(workload string) map[string]string {
	return map[string]string{o.label: o.meta.Name, v1.LabelWorkload: workload}
}
