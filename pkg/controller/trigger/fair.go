package trigger

import (
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// newFairQueue is the constructor of a controller's queue, in which namespaces take turns: a
// namespace with a thousand changed objects does not delay the one of another. An object that
// comes again goes behind those of its namespace that wait already.
func newFairQueue(controller string, limiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	return workqueue.NewTypedRateLimitingQueueWithConfig(limiter, workqueue.TypedRateLimitingQueueConfig[reconcile.Request]{
		Name: controller,
		DelayingQueue: workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[reconcile.Request]{
			Name: controller,
			Queue: workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[reconcile.Request]{
				Name: controller, Queue: newTurns(),
			}),
		}),
	})
}

// turns is a first-in-first-out queue for each namespace, and one of namespaces. The workqueue
// around it locks it and adds no object twice.
type turns struct {
	namespaces []string
	waiting    map[string][]reconcile.Request
	length     int
}

var _ workqueue.Queue[reconcile.Request] = (*turns)(nil)

func newTurns() *turns { return &turns{waiting: map[string][]reconcile.Request{}} }

// Touch is called for an object that waits already; it keeps its place.
func (q *turns) Touch(reconcile.Request) {}

func (q *turns) Len() int { return q.length }

func (q *turns) Push(item reconcile.Request) {
	if len(q.waiting[item.Namespace]) == 0 {
		q.namespaces = append(q.namespaces, item.Namespace)
	}
	q.waiting[item.Namespace] = append(q.waiting[item.Namespace], item)
	q.length++
}

func (q *turns) Pop() reconcile.Request {
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
