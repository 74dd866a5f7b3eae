package guard

import (
	"context"
	"net/http"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// The verdicts that calls are counted under.
const (
	verdictAllowed = "allowed"
	verdictRefused = "refused"
	verdictBusy    = "busy"
	verdictError   = "error"
	verdictPanic   = "panic"
)

// other is what a label says instead of a text that a stranger may have made up.
const other = "other"

var (
	kinds      = []string{"GatiHandler", "GatiModule", "GatiVersion"}
	operations = []string{"CREATE", "UPDATE", "DELETE"}
)

// call is what is known of one call; the hook adds to it on the way, in the
// goroutine that serves it.
type call struct{ kind, operation, verdict string }

type callKey struct{}

// describe notes what a call is about. Without a guard in front it does nothing.
func describe(ctx context.Context, kind, operation, verdict string) {
	c, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		return
	}
	c.kind, c.operation, c.verdict = known(kind, kinds), known(operation, operations), verdict
}

func known(text string, all []string) string {
	if slices.Contains(all, text) {
		return text
	}
	return other
}

// Described has an admission handler tell the guard in front of it what each call
// is about and what became of it.
func Described(h admission.Handler) admission.Handler {
	return admission.HandlerFunc(func(ctx context.Context, req admission.Request) admission.Response {
		verdict := verdictPanic // unless Handle returns
		defer func() { describe(ctx, req.Kind.Kind, string(req.Operation), verdict) }()
		answer := h.Handle(ctx, req)
		verdict = verdictOf(answer)
		return answer
	})
}

func verdictOf(answer admission.Response) string {
	switch {
	case answer.Allowed:
		return verdictAllowed
	case answer.Result != nil && answer.Result.Code >= http.StatusInternalServerError:
		return verdictError
	default:
		return verdictRefused
	}
}
