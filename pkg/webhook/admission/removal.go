package admission

import (
	"context"
	"net/http"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/records"
)

// checkRemoval answers the deletion of a record or module. The hook fails open: if it is
// not called, or cannot read, the deletion passes without a warning.
func (v *Validator) checkRemoval(ctx context.Context, req admission.Request) admission.Response {
	switch req.Kind.Kind {
	case "GatiVersion":
		return v.checkRecordRemoval(ctx, req)
	case "GatiModule":
		return v.warnModuleRemoval(ctx, req)
	default:
		return admission.Allowed("")
	}
}

// warnModuleRemoval names the handlers that use a module.
func (v *Validator) warnModuleRemoval(ctx context.Context, req admission.Request) admission.Response {
	var handlers v1.GatiHandlerList
	if v.isNamespaceEnding(ctx, req.Namespace) || v.Live.List(ctx, &handlers, client.InNamespace(req.Namespace)) != nil {
		return admission.Allowed("")
	}
	why := admit.WarnRemoval(req.Name, handlers.Items)
	if why == "" {
		return admission.Allowed("")
	}
	return admission.Allowed("").WithWarnings(shortenWarnings([]string{why})...)
}

// checkRecordRemoval refuses the deletion of a record that is in use. One that goes all
// the same is written again by the controller.
func (v *Validator) checkRecordRemoval(ctx context.Context, req admission.Request) admission.Response {
	if len(req.OldObject.Raw) == 0 { // It is too large to be read.
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
