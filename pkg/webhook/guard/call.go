package guard

import (
	"context"
	"net/http"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// Verdicts are the values of the metric's label verdict.
const (
	verdictAllowed = "allowed"
	verdictRefused = "refused"
	verdictBusy    = "busy"
	verdictError   = "error"
	verdictPanic   = "panic"
)

// otherLabel replaces label values that clients could choose freely.
const otherLabel = "other"

var (
	kinds      = []string{"GatiHandler", "GatiModule", "GatiVersion"}
	operations = []string{"CREATE", "UPDATE", "DELETE"}
)

// callInfo describes one call for the metrics. The hook fills it in the goroutine
// that serves the call.
type callInfo struct{ kind, operation, verdict string }

type callKey struct{}

// describeCall records kind, operation and verdict of the current call. It does
// nothing when no guard is in front.
func describeCall(ctx context.Context, kind, operation, verdict string) {
	c, ok := ctx.Value(callKey{}).(*callInfo)
	if !ok {
		return
	}
	c.kind, c.operation, c.verdict = knownOr(kind, kinds), knownOr(operation, operations), verdict
}

func knownOr(text string, all []string) string {
	if slices.Contains(all, text) {
		return text
	}
	return otherLabel
}

// DescribeCalls wraps an admission handler so that each call reports its kind,
// operation and verdict to the guard in front.
func DescribeCalls(h admission.Handler) admission.Handler {
	return admission.HandlerFunc(func(ctx context.Context, req admission.Request) admission.Response {
		verdict := verdictPanic // unless Handle returns
		defer func() { describeCall(ctx, req.Kind.Kind, string(req.Operation), verdict) }()
		answer := h.Handle(ctx, req)
		verdict = verdictFor(answer)
		return answer
	})
}

func verdictFor(answer admission.Response) string {
	switch {
	case answer.Allowed:
		return verdictAllowed
	case answer.Result != nil && answer.Result.Code >= http.StatusInternalServerError:
		return verdictError
	default:
		return verdictRefused
	}
}
