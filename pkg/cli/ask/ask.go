package ask

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/remedy"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/status"
)

// pollInterval is the time between two reads of the handler until it was handled.
const pollInterval = 200 * time.Millisecond

// Answer is a request with its outcome. Its JSON form is of the kind Request,
// cli.gati.dev/v1.
type Answer struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Handler    string `json:"handler"`
	// Request is the verb with its argument, ID its UUID, By the user, Reason the text
	// of --reason.
	Request string `json:"request"`
	ID      string `json:"id"`
	By      string `json:"by"`
	Reason  string `json:"reason,omitempty"`
	DryRun  bool   `json:"dryRun,omitempty"`
	// Change is the effect of the request, Undo the command that reverts it.
	Change string `json:"change,omitempty"`
	Undo   string `json:"undo,omitempty"`
	// Outcome is the controller's sentence. Refused reports whether it changed nothing.
	Outcome string `json:"outcome,omitempty"`
	Refused bool   `json:"refused,omitempty"`
}

// asked is a request that waits for its answer.
type asked struct {
	Answer
	handler *v1.GatiHandler
	// refusal is the predicted reason of a refusal.
	refusal string
	// err is the reason why there is no outcome.
	err error
}

// undecided is the refusal of a request before the first decision.
const undecided = "gati-webhook has not decided about this handler yet: no version serves and no rollout is running; see "

// unseen is the effect of a request that refers to an apply that gati-webhook has not
// handled yet.
const unseen = "acts on a rollout if the last apply begins one, which gati-webhook has not looked at yet"

// predictEffect predicts the effect of a request. It sends nothing.
func (o *Options) predictEffect(h *v1.GatiHandler, records []v1.GatiVersion, by string, r request.Request) *asked {
	r.ID = string(uuid.NewUUID())
	view := &status.Build(status.Objects{Namespace: h.Namespace, Handlers: []v1.GatiHandler{*h}, Versions: records}, o.env.Now()).Handlers[0]
	effect := view.Effect(string(r.Verb), r.Argument)
	switch {
	case h.Status.Rollout == nil:
		effect = status.Effect{Refused: undecided + remedy.ShowStatus.For(h.Name+" -n "+h.Namespace)}
	case effect.Refused == rollout.NoRollout && h.Status.ObservedGeneration < h.Generation:
		effect = status.Effect{Change: unseen}
	}
	if r.Argument == "" {
		r.Argument = effect.Version // What is shown is asked for, whatever happens until then.
	}
	a := &asked{handler: h, refusal: effect.Refused, Answer: Answer{
		APIVersion: status.APIVersion, Kind: "Request", Namespace: h.Namespace, Handler: h.Name,
		Request: requestText(r), ID: r.ID, By: by, Reason: o.reason.Text, DryRun: o.dryRun,
	}}
	if effect.Refused == "" {
		a.Change, a.Undo = effect.Change, undoFor(view, r)
	}
	return a
}

// sendRequest makes the request. On a dry run the server validates it and stores nothing.
func (o *Options) sendRequest(ctx context.Context, a *asked) {
	if a.err = checkDeletion(a.handler); a.err != nil {
		return
	}
	var reason any // a null removes that of the request before
	if a.Reason != "" {
		reason = a.Reason
	}
	patch := map[string]any{"metadata": map[string]any{"annotations": map[string]any{
		v1.AnnotationRequest: a.Request + "/" + a.ID, v1.AnnotationRequestedBy: a.By, v1.AnnotationRequestReason: reason,
	}}}
	if a.err = cluster.Merge(ctx, o.client, a.handler, patch, o.dryRun); o.dryRun && a.refusal != "" {
		a.Outcome, a.Refused = a.refusal, true
	}
}

// receiveOutcome waits for the outcome of the request until waiting ends.
func (o *Options) receiveOutcome(ctx, waiting context.Context, a *asked) {
	if a.err != nil || o.dryRun {
		return
	}
	if o.timeout <= 0 {
		a.err = o.timeoutError(client.ObjectKeyFromObject(a.handler))
		return
	}
	var handled v1.HandledRequest
	handled, a.err = o.awaitOutcome(ctx, waiting, client.ObjectKeyFromObject(a.handler), a.ID)
	if a.Outcome, a.Refused = handled.Outcome, handled.Refused; a.Refused {
		a.Change, a.Undo = "", ""
	} else if a.err == nil && o.awaitsContract {
		a.err = o.awaitContract(ctx, waiting, client.ObjectKeyFromObject(a.handler))
	}
}

// requestText returns a request without its UUID.
func requestText(r request.Request) string {
	if r.Argument == "" {
		return string(r.Verb)
	}
	return string(r.Verb) + ":" + r.Argument
}

// awaitOutcome reads the handler until it shows the outcome of the request.
func (o *Options) awaitOutcome(ctx, waiting context.Context, key client.ObjectKey, id string) (v1.HandledRequest, error) {
	ticks := time.NewTicker(pollInterval)
	defer ticks.Stop()
	for {
		h, err := cluster.Handler(waiting, o.client, key.Namespace, key.Name)
		switch {
		case ctx.Err() != nil:
			return v1.HandledRequest{}, ctx.Err()
		case waiting.Err() != nil:
			return v1.HandledRequest{}, o.timeoutError(key)
		case err != nil:
			return v1.HandledRequest{}, err
		}
		if handled := findHandled(h.Status.Rollout, id); handled != nil {
			return *handled, nil
		}
		if err := checkDeletion(h); err != nil {
			return v1.HandledRequest{}, err
		}
		select {
		case <-ticks.C:
		case <-waiting.Done():
		}
	}
}

// checkDeletion refuses a handler that is being deleted: the controller handles no
// more requests of it.
func checkDeletion(h *v1.GatiHandler) error {
	if h.DeletionTimestamp.IsZero() {
		return nil
	}
	return errors.New("gh/" + h.Name + " is being deleted and takes no more requests")
}

func (o *Options) timeoutError(key client.ObjectKey) error {
	return exit.With(exit.Timeout, fmt.Errorf("the request was made, but gati-webhook has not handled it within %s; check that it runs, then see %s", o.timeout, remedy.ShowHistory.For(key.Name+" -n "+key.Namespace)))
}

func findHandled(ro *v1.RolloutStatus, id string) *v1.HandledRequest {
	if ro == nil {
		return nil
	}
	for i := range ro.Requests {
		if ro.Requests[i].ID == id {
			return &ro.Requests[i]
		}
	}
	return nil
}

// outcomeError returns the error of a request that was refused or not answered.
func (a *asked) outcomeError() error {
	if a.err == nil && a.Refused {
		return errors.New("gh/" + a.Handler + ": " + a.Request + " refused: " + a.Outcome)
	}
	return a.err
}
