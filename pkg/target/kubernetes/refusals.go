package kubernetes

import (
	"context"
	"errors"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// refusals remembers what the API server has refused. Every event of a sibling
// brings a plan back, and asking for the same again each time would be a storm
// that no answer changes.
type refusals struct {
	clock clock.PassiveClock
	mu    sync.Mutex
	told  map[refused]refusal
}

// refused is an object of an owner.
type refused struct {
	owner      types.UID
	kind, name string
}

type refusal struct {
	hash string
	err  error
	at   time.Time
}

func newRefusals(c clock.PassiveClock) *refusals {
	return &refusals{clock: c, told: map[refused]refusal{}}
}

// findRefusal returns what was said of an object within the last period, if what is
// wanted is still the same.
func (r *refusals) findRefusal(key refused, obj client.Object) error {
	r.mu.Lock()
	told, ok := r.told[key]
	r.mu.Unlock()
	if !ok || r.clock.Now().Sub(told.at) >= repairPeriod {
		return nil
	}
	if _, hash, err := desiredOf(obj); err != nil || hash != told.hash {
		return nil
	}
	return told.err
}

// recordRefusal remembers a refusal, and forgets an earlier one when there is none.
func (r *refusals) recordRefusal(key refused, obj client.Object, err error) {
	_, hash, failed := desiredOf(obj)
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock.Now()
	for old, told := range r.told {
		if now.Sub(told.at) >= repairPeriod {
			delete(r.told, old)
		}
	}
	r.told[key] = refusal{hash: hash, err: err, at: now}
	if failed != nil {
		delete(r.told, key)
	}
}

// applyUnlessRefused is applyOne, unless the API server has refused just that a moment ago.
func (t *Target) applyUnlessRefused(ctx context.Context, owner, obj client.Object) (string, error) {
	key := refused{owner: owner.GetUID(), kind: t.kindOf(obj), name: obj.GetName()}
	if err := t.refusals.findRefusal(key, obj); err != nil {
		return "", err
	}
	write, err := t.applyOne(ctx, owner, obj)
	var status apierrors.APIStatus
	if err != nil && errors.As(err, &status) && isProblemOfChild(err) {
		t.refusals.recordRefusal(key, obj, err)
	}
	return write, err
}
