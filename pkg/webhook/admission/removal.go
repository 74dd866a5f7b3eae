package admission

import (
	"context"
	"net/http"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/records"
)

// checkRemoval refuses the deletion of a record that is in use. The hook fails
// open, and what it does not hear of is mended: the controller writes the record
// again. What cannot be read refuses nothing either.
func (v *Validator) checkRemoval(ctx context.Context, req admission.Request) admission.Response {
	if req.Kind.Kind != "GatiVersion" {
		return admission.Allowed("")
	}
	gone, err := decodeRaw(req.Kind.Kind, req.OldObject)
	if err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	record := gone.(*v1.GatiVersion)
	binding, bound := records.Bound(record)
	if !bound || v.isNamespaceEnding(ctx, req.Namespace) {
		return admission.Allowed("")
	}
	var h v1.GatiHandler
	if err := v.Live.Get(ctx, client.ObjectKey{Namespace: req.Namespace, Name: binding.Handler}, &h); err != nil {
		return admission.Allowed("")
	}
	var others v1.GatiVersionList
	if err := v.Live.List(ctx, &others, client.InNamespace(req.Namespace), client.MatchingLabels{v1.LabelHandler: h.Name}); err != nil {
		return admission.Allowed("")
	}
	if why := records.InUse(record, &h, others.Items); why != "" {
		return admission.Denied(why)
	}
	return admission.Allowed("")
}

// isNamespaceEnding reports whether the whole namespace is being deleted.
func (v *Validator) isNamespaceEnding(ctx context.Context, namespace string) bool {
	ending, err := v.Facts.Ending(ctx, namespace)
	return err != nil || ending
}
