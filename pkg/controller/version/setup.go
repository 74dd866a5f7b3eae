package version

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/trigger"
)

// workers is how many records are brought up to date at once. Each writes only itself, and
// which of two counts follows from both, in whatever order they come.
const workers = 4

// SetupWithManager starts the reconciler on records and on the handlers that they
// belong to.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		Named("gativersion").
		For(&v1.GatiVersion{}).
		Watches(&v1.GatiVersion{}, enqueueRecords(r.findNeighbours)).
		Watches(&v1.GatiHandler{}, enqueueRecords(r.findConcerned)).
		WithOptions(trigger.NewOptions(workers)).
		Complete(trigger.Quiet(r))
}

func ownerIsHandler(o metav1.OwnerReference) bool { return o.Kind == "GatiHandler" }

// setKey writes a key of a map that may be nil.
func setKey(into *map[string]string, key, value string) {
	if *into == nil {
		*into = map[string]string{}
	}
	(*into)[key] = value
}
