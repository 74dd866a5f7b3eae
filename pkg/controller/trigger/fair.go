package trigger

import (
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// newFairQueue returns the constructor of a controller's queue, in which namespaces take
// turns: a namespace with a thousand changed objects does not delay the one of another. New
// objects come before those that are merely looked at again; nil is none.
func newFairQueue(isNew func(reconcile.Request) bool) func(string, workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	if isNew == nil {
		isNew = func(reconcile.Request) bool { return false }
	}
	return func(controller string, limiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
		return workqueue.NewTypedRateLimitingQueueWithConfig(limiter, workqueue.TypedRateLimitingQueueConfig[reconcile.Request]{
			Name: controller,
			DelayingQueue: workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[reconcile.Request]{
				Name: controller,
				Queue: workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[reconcile.Request]{
					Name: controller, Queue: &lanes{isNew: isNew, fresh: newTurns(), known: newTurns()},
				}),
			}),
		})
	}
}

// freshInARow is how many new objects come before one of the others: whoever creates
// handlers without end delays the rest by this factor and no more.
const freshInARow = 15

// lanes has new objects before known ones. The workqueue around it locks it and adds no
// object twice.
type lanes struct {
	isNew        func(reconcile.Request) bool
	fresh, known *turns
	// inARow counts the new objects since the last known one.
	inARow int
}

var _ workqueue.Queue[reconcile.Request] = (*lanes)(nil)

// Touch is called for an object that waits already; it keeps its place.
func (q *lanes) Touch(reconcile.Request) {}

func (q *lanes) Push(item reconcile.Request) {
	if q.isNew(item) {
		q.fresh.push(item)
		return
	}
	q.known.push(item)
}

func (q *lanes) Len() int { return q.fresh.length + q.known.length }

func (q *lanes) Pop() reconcile.Request {
	if q.fresh.length > 0 && (q.inARow < freshInARow || q.known.length == 0) {
		q.inARow++
		return q.fresh.pop()
	}
	q.inARow = 0
	return q.known.pop()
}

// turns is a first-in-first-out queue for each namespace, and one of namespaces.
type turns struct {
	namespaces []string
	waiting    map[string][]reconcile.Request
	length     int
}

func newTurns() *turns { return &turns{waiting: map[string][]reconcile.Request{}} }

func (q *turns) push(item reconcile.Request) {
	if len(q.waiting[item.Namespace]) == 0 {
		q.namespaces = append(q.namespaces, item.Namespace)
	}
	q.waiting[item.Namespace] = append(q.waiting[item.Namespace], item)
	q.length++
}

func (q *turns) pop() reconcile.Request {
	namespace := q.namespaces[0]
	q.namespaces = q.namespaces[1:]
	item := q.waiting[namespace][0]
	if rest := q.waiting[namespace][1:]; len(rest) > 0 {
		q.waiting[namespace] = rest
		q.namespaces = append(q.namespaces, namespace)
	} else {
		delete(q.waiting, namespace)
	}
	q.length--
	return item
}
