package trigger_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"gati.dev/gati/pkg/controller/trigger"
	"gati.dev/gati/pkg/target"
)

// A lost race is tried again without noise, five times in a row; then it is an error. A
// try that succeeds begins anew.
func TestQuiet(t *testing.T) {
	of := schema.GroupResource{Resource: "things"}
	for name, race := range map[string]error{
		"conflict":   apierrors.NewConflict(of, "x", errors.New("changed")),
		"exists":     apierrors.NewAlreadyExists(of, "x"),
		"gone":       apierrors.NewNotFound(of, "x"),
		"unwatched":  fmt.Errorf("observe: %w", &cache.ErrResourceNotCached{}),
		"outdated":   &target.StaleError{Err: errors.New("changed")},
		"one of two": errors.Join(errors.New("x"), apierrors.NewNotFound(of, "x")),
	} {
		t.Run(name, func(t *testing.T) {
			var answer error
			told := 0
			r := trigger.Quiet(reconcile.Func(func(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
				if answer != nil && !trigger.IsQuiet(ctx, answer) {
					told++
				}
				return ctrl.Result{}, answer
			}))
			for _, round := range []struct {
				answer error
				quiet  int
			}{{race, 5}, {nil, 0}, {race, 5}} {
				answer, told = round.answer, 0
				for i := range 8 {
					result, err := r.Reconcile(t.Context(), ctrl.Request{})
					if quiet := i < round.quiet; quiet != (result.RequeueAfter > 0) || !quiet && !errors.Is(err, answer) || quiet && err != nil {
						t.Errorf("try %d of %v: %+v, %v", i+1, answer, result, err)
					}
					if answer == nil {
						break
					}
				}
				if answer != nil && told != 3 {
					t.Errorf("%d of 8 tries are worth telling, want 3", told)
				}
			}
		})
	}
	r := trigger.Quiet(reconcile.Func(func(context.Context, ctrl.Request) (ctrl.Result, error) { return ctrl.Result{}, errors.New("x") }))
	if _, err := r.Reconcile(t.Context(), ctrl.Request{}); err == nil {
		t.Error("another error is kept quiet")
	}
}
