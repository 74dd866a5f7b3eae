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
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/status"
)

// lookEvery is how often the handler is read until a request was handled.
const lookEvery = 200 * time.Millisecond

// Answer is what came of a request. Its JSON form is of the kind Request,
// cli.gati.dev/v1.
type Answer struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Handler    string `json:"handler"`
	// Request is the verb with its argument, ID the UUID that tells it apart, By
	// the user who asks, Reason what they said why.
	Request string `json:"request"`
	ID      string `json:"id"`
	By      string `json:"by"`
	Reason  string `json:"reason,omitempty"`
	DryRun  bool   `json:"dryRun,omitempty"`
	// Change is from where to where it leads, Undo how to take it back.
	Change string `json:"change,omitempty"`
	Undo   string `json:"undo,omitempty"`
	// Outcome is the controller's sentence. Refused tells that it did nothing.
	Outcome string `json:"outcome,omitempty"`
	Refused bool   `json:"refused,omitempty"`
}

// asked is a request on its way to its answer.
type asked struct {
	Answer
	handler *v1.GatiHandler
	// err is why there is no outcome.
	err error
}

// prepare works out what a request of a handler leads to. It sends nothing.
func (o *Options) prepare(h *v1.GatiHandler, by string, r request.Request) *asked {
	r.ID = string(uuid.NewUUID())
	seen := &status.Build(status.Objects{Namespace: h.Namespace, Handlers: []v1.GatiHandler{*h}}, o.env.Now()).Handlers[0]
	return &asked{handler: h, Answer: Answer{
		APIVersion: status.APIVersion, Kind: "Request", Namespace: h.Namespace, Handler: h.Name,
		Request: act(r), ID: r.ID, By: by, Reason: o.reason.Text, DryRun: o.dryRun,
		Change: Change(seen, r), Undo: Undo(seen, r),
	}}
}

// send makes the request. On a dry run the server only says whether it would take
// it.
func (o *Options) send(ctx context.Context, a *asked) {
	if a.err = ending(a.handler); a.err != nil {
		return
	}
	var reason any // a null takes away that of the request before
	if a.Reason != "" {
		reason = a.Reason
	}
	patch := map[string]any{"metadata": map[string]any{"annotations": map[string]any{
		v1.AnnotationRequest: a.Request + "/" + a.ID, v1.AnnotationRequestedBy: a.By, v1.AnnotationRequestReason: reason,
	}}}
	a.err = cluster.Merge(ctx, o.client, a.handler, patch, o.dryRun)
}

// receive waits for what comes of the request.
func (o *Options) receive(ctx context.Context, a *asked) {
	if a.err != nil || o.dryRun {
		return
	}
	var handled v1.HandledRequest
	handled, a.err = o.await(ctx, client.ObjectKeyFromObject(a.handler), a.ID)
	if a.Outcome, a.Refused = handled.Outcome, handled.Refused; a.Refused {
		a.Change, a.Undo = "", ""
	}
}

// act is a request without its UUID.
func act(r request.Request) string {
	if r.Argument == "" {
		return string(r.Verb)
	}
	return string(r.Verb) + ":" + r.Argument
}

// await reads the handler until it shows what came of the request.
func (o *Options) await(ctx context.Context, key client.ObjectKey, id string) (v1.HandledRequest, error) {
	waiting, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	ticks := time.NewTicker(lookEvery)
	defer ticks.Stop()
	for {
		h, err := cluster.Handler(waiting, o.client, key.Namespace, key.Name)
		switch {
		case ctx.Err() != nil:
			return v1.HandledRequest{}, ctx.Err()
		case waiting.Err() != nil:
			return v1.HandledRequest{}, o.unanswered(key)
		case err != nil:
			return v1.HandledRequest{}, err
		}
		if handled := find(h.Status.Rollout, id); handled != nil {
			return *handled, nil
		}
		if err := ending(h); err != nil {
			return v1.HandledRequest{}, err
		}
		select {
		case <-ticks.C:
		case <-waiting.Done():
		}
	}
}

// ending is the error about a handler that is being deleted, of which the controller does
// nothing that is asked.
func ending(h *v1.GatiHandler) error {
	if h.DeletionTimestamp.IsZero() {
		return nil
	}
	return errors.New("gh/" + h.Name + " is being deleted, and nothing more is done with it")
}

func (o *Options) unanswered(key client.ObjectKey) error {
	return exit.With(exit.Timeout, fmt.Errorf("the request is made, and gati-webhook has not handled it within %s; check that it runs, and see kubectl gati rollout history %s -n %s", o.timeout, key.Name, key.Namespace))
}

func find(ro *v1.RolloutStatus, id string) *v1.HandledRequest {
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

// fault is why a request did not lead to what was asked for, nil when it did.
func (a *asked) fault() error {
	if a.Refused {
		return errors.New("gh/" + a.Handler + ": " + a.Request + " is refused: " + a.Outcome)
	}
	return a.err
}
