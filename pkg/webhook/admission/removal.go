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

// checkRemoval answers the deletion of a record or module. The hook fails open: where no
// replica answers in time, the deletion passes.
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

// warnModuleRemoval names the handlers that use a module, where they can be read.
func (v *Validator) warnModuleRemoval(ctx context.Context, req admission.Request) admission.Response {
	var handlers v1.GatiHandlerList
	ending, err := v.Facts.Ending(ctx, req.Namespace)
	if err != nil || ending || v.Live.List(ctx, &handlers, client.InNamespace(req.Namespace)) != nil {
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
	if !bound {
		return admission.Allowed("")
	}
	why, err := v.findUse(ctx, req.Namespace, record, binding)
	if err != nil {
		return retryLater(unreadMessage(err))
	}
	if why == "" {
		return admission.Allowed("")
	}
	return admission.Denied(why)
}

// findUse returns why a record should be kept, by its handler and the other records as they
// are now. With its whole namespace it may go.
func (v *Validator) findUse(ctx context.Context, namespace string, record *v1.GatiVersion, b records.Binding) (string, error) {
	var h v1.GatiHandler
	if err := v.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: b.Handler}, &h); err != nil {
		return "", client.IgnoreNotFound(err)
	}
	var others v1.GatiVersionList
	if err := v.Live.List(ctx, &others, client.InNamespace(namespace), client.MatchingLabels{v1.LabelHandler: h.Name}); err != nil {
		return "", err
	}
	why := records.InUse(record, &h, others.Items)
	if why == "" {
		return "", nil
	}
	if ending, err := v.Facts.Ending(ctx, namespace); err != nil || ending {
		return "", err
	}
	return why, nil
}
