package trigger

import (
	"context"
	"errors"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"gati.dev/gati/pkg/target"
)

const (
	// retryRace is how soon a write that lost a race is tried again. The event of the
	// winner usually comes first.
	retryRace = 200 * time.Millisecond
	// maxRaces is how many tries in a row may lose one. What fails more often is an
	// error as any other.
	maxRaces = 5
	// retryFirst and retryLast bound how soon an error is tried again.
	retryFirst = 10 * time.Millisecond
	retryLast  = 30 * time.Second
)

// NewOptions returns the options of a controller: an error is tried again after at most
// retryLast, and namespaces take turns.
func NewOptions(workers int) controller.Options {
	return controller.Options{
		MaxConcurrentReconciles: workers,
		RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](retryFirst, retryLast),
		NewQueue:                newFairQueue,
	}
}

// Quiet retries a reconciliation silently when a write lost a race because of an outdated
// cache: the object has changed, exists already, is gone or not watched yet. From maxRaces
// tries on it is an error with log, metric and status.
func Quiet(r reconcile.Reconciler) reconcile.Reconciler {
	lost := races{count: map[ctrl.Request]int{}}
	return reconcile.Func(func(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
		last := lost.countOf(req) >= maxRaces
		result, err := r.Reconcile(context.WithValue(ctx, lastTry{}, last), req)
		if !isRace(err) {
			lost.forgetRaces(req)
			return result, err
		}
		lost.addRace(req)
		if last {
			return result, err
		}
		return ctrl.Result{RequeueAfter: retryRace}, nil
	})
}

// IsQuiet reports whether an error is a lost race that Quiet tries again without noise:
// the status does not show it.
func IsQuiet(ctx context.Context, err error) bool {
	last, _ := ctx.Value(lastTry{}).(bool)
	return isRace(err) && !last
}

// lastTry marks a reconciliation whose lost race is an error as any other.
type lastTry struct{}

func isRace(err error) bool {
	var stale *target.StaleError
	var unwatched *cache.ErrResourceNotCached // Its API was installed or removed meanwhile.
	return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err) || errors.As(err, &stale) || errors.As(err, &unwatched)
}

// races counts the races that each object lost in a row.
type races struct {
	mu    sync.Mutex
	count map[ctrl.Request]int
}

func (r *races) countOf(req ctrl.Request) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count[req]
}

func (r *races) addRace(req ctrl.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count[req]++
}

func (r *races) forgetRaces(req ctrl.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.count, req)
}
