package trigger

import (
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Lane are objects that come before others.
type Lane struct {
	// Has reports whether an object that is added belongs to the lane. It is called with the
	// queue locked and must not ask the API server.
	Has func(reconcile.Request) bool
	// InARow is how many of them come before one of the others: whoever changes such objects
	// without end delays the rest by this factor and no more.
	InARow int
}

// newFairQueue returns the constructor of a controller's queue, in which namespaces take
// turns: a namespace with a thousand changed objects does not delay the one of another.
func newFairQueue(lanes []Lane) func(string, workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	return func(controller string, limiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
		return workqueue.NewTypedRateLimitingQueueWithConfig(limiter, workqueue.TypedRateLimitingQueueConfig[reconcile.Request]{
			Name: controller,
			DelayingQueue: workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[reconcile.Request]{
				Name: controller,
				Queue: workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[reconcile.Request]{
					Name: controller, Queue: newLine(lanes),
				}),
			}),
		})
	}
}

// line has the objects of a lane before the rest, which is a line of its own. The workqueue
// around it locks it and adds no object twice.
type line struct {
	lane  Lane
	first *turns
	// rest is nil in the last line, which has no lane.
	rest *line
	// inARow counts the objects of the lane since the last of the rest.
	inARow int
}

var _ workqueue.Queue[reconcile.Request] = (*line)(nil)

func newLine(lanes []Lane) *line {
	if len(lanes) == 0 {
		return &line{first: newTurns()}
	}
	return &line{lane: lanes[0], first: newTurns(), rest: newLine(lanes[1:])}
}

// Touch is called for an object that waits already; it keeps its place.
func (q *line) Touch(reconcile.Request) {}

func (q *line) Push(item reconcile.Request) {
	if q.rest == nil || q.lane.Has(item) {
		q.first.push(item)
		return
	}
	q.rest.Push(item)
}

func (q *line) Len() int {
	if q.rest == nil {
		return q.first.length
	}
	return q.first.length + q.rest.Len()
}

func (q *line) Pop() reconcile.Request {
	if q.rest == nil {
		return q.first.pop()
	}
	if q.first.length > 0 && (q.inARow < q.lane.InARow || q.rest.Len() == 0) {
		q.inARow++
		return q.first.pop()
	}
	q.inARow = 0
	return q.rest.Pop()
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
