package trigger

import (
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	v1 "gati.dev/gati/api/v1"
)

// namespaceFacts are the annotations of a namespace that its plans depend on.
var namespaceFacts = []string{v1.AnnotationImage, v1.AnnotationTarget}

// ChangesFacts passes the changes of a namespace that its handlers and modules need to know
// of: each brings all of them back.
var ChangesFacts = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	before, after := e.ObjectOld, e.ObjectNew
	for _, key := range namespaceFacts {
		if before.GetAnnotations()[key] != after.GetAnnotations()[key] {
			return true
		}
	}
	return before.GetUID() != after.GetUID() || (before.GetDeletionTimestamp() == nil) != (after.GetDeletionTimestamp() == nil)
}}
