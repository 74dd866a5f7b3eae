// Package finalize holds an owner until the target of its children has removed them.
//
// The finalizer also keeps which target that is. The package must not know how a target
// removes anything.
package finalize

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/target"
)

const (
	// retry is the delay before an unfinished removal is checked again.
	retry = 2 * time.Second
	// maxWait is how long a target may take to remove the children of a deleted owner.
	maxWait = 10 * time.Minute
	// reasonAbandoned is the reason of the Event when it takes longer.
	reasonAbandoned = "ChildrenAbandoned"
)

// Finalizer adds and removes the finalizers of targets.
type Finalizer struct {
	Client  client.Client
	Targets target.Set
	Events  events.EventRecorder
	Clock   clock.PassiveClock
}

// Hold lets an owner have the finalizer of its target before the first child is written.
// The owner is brought up to date.
func (f Finalizer) Hold(ctx context.Context, owner client.Object, of target.Target) error {
	name := of.Finalizer()
	if name == "" || slices.Contains(owner.GetFinalizers(), name) {
		return nil
	}
	if err := f.patchFinalizers(ctx, owner, append(slices.Clone(owner.GetFinalizers()), name)); err != nil {
		return fmt.Errorf("add the finalizer %s: %w", name, err)
	}
	return nil
}

// Delete lets the target remove the children of an owner that is being deleted, then
// drops the finalizer. In a namespace that is going they go with it.
func (f Finalizer) Delete(ctx context.Context, owner client.Object, isEnding bool) (ctrl.Result, error) {
	if !slices.ContainsFunc(owner.GetFinalizers(), isOfTarget) {
		return ctrl.Result{}, nil
	}
	if isEnding {
		return ctrl.Result{}, f.dropFinalizers(ctx, owner)
	}
	done, err := false, errNotConfigured
	if of := f.Targets.Held(owner); of != nil {
		done, err = of.Delete(ctx, owner)
	}
	if done {
		return ctrl.Result{}, f.dropFinalizers(ctx, owner)
	}
	if waited := f.Clock.Since(owner.GetDeletionTimestamp().Time); waited >= maxWait {
		f.Events.Eventf(owner, nil, corev1.EventTypeWarning, reasonAbandoned, "Delete",
			"The children could not be removed within %s: %s. Those that are left have the label %s.", maxWait, explainError(err), v1.LabelTarget)
		return ctrl.Result{}, f.dropFinalizers(ctx, owner)
	}
	if errors.Is(err, errNotConfigured) {
		err = nil // Nothing but the operator's configuration changes that.
	}
	return ctrl.Result{RequeueAfter: retry}, err
}

// errNotConfigured is why children stay whose target the operator allows no more.
var errNotConfigured = errors.New("the operator no longer allows their target (--allowed-targets)")

func isOfTarget(finalizer string) bool { return strings.HasPrefix(finalizer, target.FinalizerPrefix) }

func explainError(err error) string {
	if err == nil {
		return "they are still being deleted"
	}
	return err.Error()
}

// dropFinalizers removes the finalizers of targets.
func (f Finalizer) dropFinalizers(ctx context.Context, owner client.Object) error {
	left := slices.DeleteFunc(slices.Clone(owner.GetFinalizers()), isOfTarget)
	if err := f.patchFinalizers(ctx, owner, left); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("drop the finalizer of the target: %w", err)
	}
	return nil
}

// patchFinalizers replaces the finalizers of the object as it was read. Status and spec stay as
// they are in memory: the answer has those of the server.
func (f Finalizer) patchFinalizers(ctx context.Context, owner client.Object, finalizers []string) error {
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": owner.GetUID(), "resourceVersion": owner.GetResourceVersion(), "finalizers": finalizers,
	}})
	if err != nil {
		return err
	}
	answer := owner.DeepCopyObject().(client.Object)
	if err := f.Client.Patch(ctx, answer, client.RawPatch(types.MergePatchType, body), client.FieldOwner(v1.FieldManager)); err != nil {
		return err
	}
	owner.SetResourceVersion(answer.GetResourceVersion())
	owner.SetFinalizers(answer.GetFinalizers())
	return nil
}
