package status

import (
	"fmt"
	"strings"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// Effect is the predicted effect of a request.
type Effect struct {
	// Refused is the reason why it would be refused; empty if it would not.
	Refused string
	// Change is its effect: weights and steps before and after, or in words.
	Change string
	// Version is the version that a rollback goes to; empty for other requests.
	Version string
}

// Predictor predicts the effects of requests on a handler, when asked: most snapshots
// need no prediction.
type Predictor struct {
	handler *v1.GatiHandler
	records []*v1.GatiVersion
	now     time.Time
}

// Equal reports true: predictions follow from the rest of the view.
func (p *Predictor) Equal(*Predictor) bool { return true }

// Effect predicts the effect of a request with the controller's own code.
func (h *Handler) Effect(verb, argument string) Effect {
	p := h.Predictor
	if p == nil || p.handler.Status.Rollout == nil {
		return Effect{Change: "not known before the controller's first decision"}
	}
	out := rollout.Effect(p.rolloutInput(), rollout.Request{
		Request: request.Request{Verb: request.Verb(verb), Argument: argument},
	})
	return Effect{out.Refused, describeOutcome(out), out.Version}
}

// describeOutcome returns the weights and the step that change, else the words of the
// controller.
func describeOutcome(out rollout.Outcome) string {
	if len(out.Weights) == 0 {
		return out.Does
	}
	parts := make([]string, len(out.Weights))
	for i := range out.Weights {
		w := &out.Weights[i]
		parts[i] = fmt.Sprintf("%s %d%% → %d%%", w.Unit.Title(), w.From, w.To)
	}
	text := strings.Join(parts, ", ")
	if s := out.Step; s != nil {
		text += fmt.Sprintf(" (step %d → %d of %d)", s.From, s.To, s.Of)
	}
	return text
}
