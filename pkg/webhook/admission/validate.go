package admission

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/remedy"
)

// Validator refuses objects with errors of the pipeline, in the form in which the API
// server reports its own checks.
type Validator struct {
	Facts FactSource
	// Pipeline checks an object; its zero value reads each schema anew.
	Pipeline admit.Pipeline
	// Judge compares the schemas of versions; nil compares none.
	Judge *compat.Judge
	// Queries reports whether the operator allows users' own Prometheus queries.
	Queries bool
	// Cache shows whether a live read is needed; with nil every read is live.
	Cache client.Reader
	// Live reads from the API server: the cache may lack recent writes.
	Live client.Reader
	// DryRun tries the children on the user's own dry run; nil never does.
	DryRun *DryRun
}

var _ admission.Handler = (*Validator)(nil)

// Handle implements admission.Handler.
func (v *Validator) Handle(ctx context.Context, req admission.Request) admission.Response {
	if req.SubResource != "" {
		return admission.Allowed("")
	}
	if req.Operation == admissionv1.Delete {
		return v.checkRemoval(ctx, req)
	}
	obj, old, err := decodeRequest(req)
	if err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if obj.GetDeletionTimestamp() != nil || sameSpec(obj, old) {
		return admission.Allowed("")
	}
	f, err := v.Facts.For(ctx, req.Namespace)
	if err != nil {
		return retryLater(unreadMessage(err))
	}
	around, err := v.readSurroundings(ctx, obj, old, f)
	if err != nil {
		return retryLater(unreadMessage(err))
	}
	result := v.Pipeline.Check(obj, old, around)
	switch {
	case result.Undecided != nil:
		return retryLater("the versions could not be compared in time; try again: " + result.Undecided.Error())
	case len(result.Errors) > 0:
		return withAudit(refuseObject(req, obj, result.Errors), result).WithWarnings(shortenWarnings(result.Warnings)...)
	case v.DryRun == nil || req.DryRun == nil || !*req.DryRun || result.Hash == "":
		return withAudit(allowObject(obj, result), result).WithWarnings(shortenWarnings(result.Warnings)...)
	default:
		return withAudit(v.dryRunChildren(ctx, req, obj, old, f, result), result)
	}
}

// withAudit adds the comparison of versions to an answer as audit annotations.
func withAudit(answer admission.Response, result admit.Result) admission.Response {
	if result.Breaking != "" {
		answer.AuditAnnotations["breaking"] = result.Breaking
	}
	if result.OverriddenBy != "" {
		answer.AuditAnnotations["override"] = result.OverriddenBy
	}
	return answer
}

// dryRunChildren adds the API server's answers about the children.
func (v *Validator) dryRunChildren(ctx context.Context, req admission.Request, obj, old client.Object, f facts.Facts, result admit.Result) admission.Response {
	obj.GetObjectKind().SetGroupVersionKind(v1.GroupVersion.WithKind(req.Kind.Kind))
	children := v.DryRun.Try(ctx, obj, old, f, result)
	answer := allowObject(obj, result)
	if len(children.Errors) > 0 {
		answer = refuseObject(req, obj, children.Errors)
	}
	answer.AuditAnnotations["dry-run"] = children.Audit
	return answer.WithWarnings(shortenWarnings(append(children.Warnings, result.Warnings...))...)
}

func refuseObject(req admission.Request, obj client.Object, errs field.ErrorList) admission.Response {
	name := obj.GetName()
	if name == "" {
		name = obj.GetGenerateName()
	}
	kind := schema.GroupKind{Group: v1.Group, Kind: req.Kind.Kind}
	status := apierrors.NewInvalid(kind, name, asWritten(req, errs)).Status()
	return admission.Response{AdmissionResponse: admissionv1.AdmissionResponse{
		Allowed: false, Result: &status,
		AuditAnnotations: map[string]string{"verdict": "refused", "faults": strconv.Itoa(len(errs))},
	}}
}

func allowObject(obj client.Object, result admit.Result) admission.Response {
	out := admission.Allowed("")
	out.AuditAnnotations = map[string]string{"verdict": "admitted"}
	if result.Hash != "" {
		stamp := decide.StampOf(obj)
		out.AuditAnnotations["plan"] = stamp.Plan
		out.AuditAnnotations["children"] = strconv.Itoa(stamp.CountChildren())
	}
	return out
}

const (
	// maxWarnings and maxWarning are limits of the API server.
	maxWarnings = 5
	maxWarning  = 120
)

// shortenWarnings returns at most five warnings of at most 120 characters each.
func shortenWarnings(warnings []string) []string {
	var out []string
	for i, w := range warnings {
		if i == maxWarnings-1 && len(warnings) > maxWarnings {
			return append(out, fmt.Sprintf("and %d more; to see all: %s", len(warnings)-i, remedy.ExpandFile))
		}
		if runes := []rune(w); len(runes) > maxWarning {
			w = string(runes[:maxWarning-1]) + "…"
		}
		out = append(out, w)
	}
	return out
}
