package admission

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"gati.dev/gati/pkg/expand/origin"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/target"
)

// finding is an answer of the API server in terms of the parent.
type finding int

const (
	passed finding = iota
	// refusal: the child would be refused for real.
	refusal
	// dangling: the child names an object that does not exist yet. GitOps applies in any
	// order, and in a dry run earlier objects of a file do not exist either.
	dangling
	// unknown: it was not found out.
	unknown
)

// classifyError distinguishes a refusal of the child from an error that is not about it.
func classifyError(err error) finding {
	var foreign *target.ForeignError
	var unserved *facts.NotServedError
	var status apierrors.APIStatus
	switch {
	case err == nil:
		return passed
	case errors.As(err, &foreign), errors.As(err, &unserved):
		return refusal
	case !errors.As(err, &status):
		return unknown
	}
	s := status.Status()
	switch {
	case isMissingReference(s.Message):
		return dangling
	case lacksOwnRight(s), strings.Contains(s.Message, "does not support dry run"):
		return unknown
	case s.Code == http.StatusTooManyRequests || s.Code >= http.StatusInternalServerError:
		return unknown
	case strings.Contains(s.Message, deniedByWebhook): // with any code
		return refusal
	}
	switch s.Code {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge:
		return refusal
	default:
		return unknown
	}
}

// isMissingReference matches the API server's message about a reference of a pod that does not exist.
func isMissingReference(message string) bool {
	return strings.Contains(message, "error looking up service account") ||
		strings.Contains(message, "no PriorityClass with name") ||
		strings.Contains(message, "RuntimeClass") && strings.Contains(message, "not found")
}

// lacksOwnRight reports whether gati-webhook's account lacks a right: a fault of the install,
// not of the object.
func lacksOwnRight(s metav1.Status) bool {
	return s.Reason == metav1.StatusReasonForbidden && strings.Contains(s.Message, `User "`) && strings.Contains(s.Message, " cannot ")
}

// Parts of the API server's sentences about what others decide.
const (
	deniedByWebhook = "denied the request"
	deniedByPolicy  = "denied request"
)

// blameRefusal words a refusal at the fields of the parent.
func blameRefusal(parent string, a attempt, err error, q quoting) field.ErrorList {
	var foreign *target.ForeignError
	var unserved *facts.NotServedError
	var status apierrors.APIStatus
	switch {
	case errors.As(err, &unserved):
		return field.ErrorList{field.Invalid(fieldPath(unserved.Field), field.OmitValueType{}, unserved.Detail())}
	case errors.As(err, &foreign):
		return field.ErrorList{field.Invalid(field.NewPath("metadata", "name"), field.OmitValueType{}, q.hideOwner(foreign).Error())}
	case !errors.As(err, &status):
		return field.ErrorList{field.Invalid(fieldPath(origin.ForField(parent, a.kind, "")), field.OmitValueType{}, err.Error())}
	}
	s := status.Status()
	if out := blameFields(parent, a, s, q); len(out) > 0 {
		return out
	}
	where := fieldPath(q.quotePath(origin.ForMessage(parent, a.kind, s.Message), s.Message))
	if s.Reason == metav1.StatusReasonForbidden {
		return field.ErrorList{field.Forbidden(where, a.refusalText(q.quoteMessage(s.Message)))}
	}
	return field.ErrorList{field.Invalid(where, field.OmitValueType{}, a.refusalText(q.quoteMessage(s.Message)))}
}

// blameFields returns the errors of a refusal that names fields of the child. Refusals by
// other webhooks may name anything: they are left out unless q allows everything.
func blameFields(parent string, a attempt, s metav1.Status, q quoting) field.ErrorList {
	if s.Details == nil || !q.everything && isDenial(s.Message) {
		return nil
	}
	var out field.ErrorList
	for _, cause := range s.Details.Causes {
		if cause.Field != "" {
			out = append(out, field.Invalid(fieldPath(origin.ForField(parent, a.kind, cause.Field)), field.OmitValueType{},
				a.refusalText(cause.Field+": "+q.quoteCause(cause.Message))))
		}
	}
	return out
}

const refuses = " is refused by the API server: "

func (a attempt) refusalText(text string) string {
	if a.kind == "Pod" {
		return fmt.Sprintf("a pod of %s%s%s", a.name, refuses, text)
	}
	return fmt.Sprintf("%s %s%s%s", a.kind, a.name, refuses, text)
}

// sameBlame compares two refusals without their children: a pod's fields are those of the
// template.
func sameBlame(a, b string) bool {
	return refusalDetail(a) == refusalDetail(b)
}

func refusalDetail(detail string) string {
	_, text, _ := strings.Cut(detail, refuses)
	return strings.TrimPrefix(text, "spec.template.")
}

// fieldPath is a path that is already put together.
func fieldPath(path string) *field.Path { return field.NewPath(path) }
