// Package gateway is a Gateway API controller for tests that have no data plane:
// it answers the HTTPRoutes of an API server as a real one would, late, never or
// with a refusal where a test asks for it. It moves no traffic.
package gateway

import (
	"context"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// controllerName is the controller in the answers.
const controllerName = "gati.dev/test-gateway"

// workers is how many routes are answered at once: the work is waiting for the API
// server.
const workers = 8

// Behavior is how the gateway of one name answers.
type Behavior struct {
	// After is how long a generation of a route waits for its answer.
	After time.Duration
	// Refusal, when set, is why routes are not accepted.
	Refusal string
	// Absent gives no answer at all.
	Absent bool
}

// Controller answers for the gateways that it was told of. Others are Absent.
type Controller struct {
	client client.WithWatch
	queue  workqueue.TypedRateLimitingInterface[client.ObjectKey]
	// routes has what the watch has told of, informer fills it.
	routes   cache.Store
	informer cache.Controller

	mu        sync.Mutex
	behaviors map[string]Behavior
	seen      map[client.ObjectKey]sighting
}

// sighting is when a generation of a route was first seen.
type sighting struct {
	uid        types.UID
	generation int64
	at         time.Time
}

// New returns a controller that is not running yet.
func New(c client.WithWatch) *Controller {
	out := &Controller{
		client: c, behaviors: map[string]Behavior{}, seen: map[client.ObjectKey]sighting{},
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[client.ObjectKey](10*time.Millisecond, time.Second)),
	}
	out.routes, out.informer = cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: newRouteListerWatcher(c), ObjectType: &gatewayv1.HTTPRoute{},
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc:    out.enqueueRoute,
			UpdateFunc: func(_, obj any) { out.enqueueRoute(obj) },
		},
	})
	return out
}

// Set changes how the gateway of that name answers from now on.
func (c *Controller) Set(gateway string, b Behavior) {
	c.mu.Lock()
	c.behaviors[gateway] = b
	c.mu.Unlock()
	for _, obj := range c.routes.List() {
		c.enqueueRoute(obj)
	}
}

// Run answers until the context ends.
func (c *Controller) Run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { c.informer.RunWithContext(ctx) })
	for range workers {
		all.Go(func() { c.runWorker(ctx) })
	}
	<-ctx.Done()
	c.queue.ShutDown()
	all.Wait()
}

func (c *Controller) enqueueRoute(obj any) {
	if route, ok := obj.(*gatewayv1.HTTPRoute); ok {
		c.queue.Add(client.ObjectKeyFromObject(route))
	}
}

// runWorker answers one route after the other, until there will be no more.
func (c *Controller) runWorker(ctx context.Context) {
	for {
		key, over := c.queue.Get()
		if over {
			return
		}
		c.syncRoute(ctx, key)
		c.queue.Done(key)
	}
}

// syncRoute answers one route, if it is still there.
func (c *Controller) syncRoute(ctx context.Context, key client.ObjectKey) {
	obj, there, err := c.routes.GetByKey(key.String())
	if err != nil || !there {
		c.queue.Forget(key)
		return
	}
	after, err := c.updateParentStatuses(ctx, obj.(*gatewayv1.HTTPRoute).DeepCopy())
	switch {
	case err != nil:
		c.queue.AddRateLimited(key)
	case after > 0:
		c.queue.AddAfter(key, after)
	default:
		c.queue.Forget(key)
	}
}

// updateParentStatuses writes what the gateways of a route have to say by now, and returns after
// what time another will.
func (c *Controller) updateParentStatuses(ctx context.Context, route *gatewayv1.HTTPRoute) (time.Duration, error) {
	before, wait := route.DeepCopy(), time.Duration(0)
	for _, ref := range route.Spec.ParentRefs {
		switch b, left := c.behaviorFor(route, string(ref.Name)); {
		case b.Absent:
		case left > 0:
			wait = max(wait, left)
		default:
			setParentConditions(route, ref, b.Refusal)
		}
	}
	if len(before.Status.Parents) == len(route.Status.Parents) && equalConditions(before, route) {
		return wait, nil
	}
	err := c.client.Status().Patch(ctx, route, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return wait, nil // The watch brings what it is now.
	}
	return wait, err
}

// behaviorFor tells how a gateway answers the present generation, and how long that takes
// from now.
func (c *Controller) behaviorFor(route *gatewayv1.HTTPRoute, gateway string) (Behavior, time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, known := c.behaviors[gateway]
	if !known {
		return Behavior{Absent: true}, 0
	}
	key := client.ObjectKeyFromObject(route)
	seen := c.seen[key]
	if seen.uid != route.UID || seen.generation != route.Generation {
		seen = sighting{route.UID, route.Generation, time.Now()}
		c.seen[key] = seen
	}
	return b, max(0, b.After-time.Since(seen.at))
}

// newRouteListerWatcher lists and watches the routes of all namespaces.
func newRouteListerWatcher(c client.WithWatch) cache.ListerWatcher {
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			list := &gatewayv1.HTTPRouteList{}
			return list, c.List(ctx, list, &client.ListOptions{Raw: &o})
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return c.Watch(ctx, &gatewayv1.HTTPRouteList{}, &client.ListOptions{Raw: &o})
		},
	}
}

// setParentConditions writes the answer of one parent.
func setParentConditions(route *gatewayv1.HTTPRoute, ref gatewayv1.ParentReference, refusal string) {
	at := -1
	for i, p := range route.Status.Parents {
		if p.ParentRef.Name == ref.Name {
			at = i
		}
	}
	if at < 0 {
		route.Status.Parents = append(route.Status.Parents, gatewayv1.RouteParentStatus{ParentRef: ref, ControllerName: controllerName})
		at = len(route.Status.Parents) - 1
	}
	conditions := &route.Status.Parents[at].Conditions
	accepted, reason := metav1.ConditionTrue, "Accepted"
	if refusal != "" {
		accepted, reason = metav1.ConditionFalse, "NotAllowedByListeners"
	}
	meta.SetStatusCondition(conditions, metav1.Condition{Type: "Accepted", Status: accepted, Reason: reason, Message: refusal, ObservedGeneration: route.Generation})
	meta.SetStatusCondition(conditions, metav1.Condition{Type: "ResolvedRefs", Status: metav1.ConditionTrue, Reason: "ResolvedRefs", ObservedGeneration: route.Generation})
}

func equalConditions(a, b *gatewayv1.HTTPRoute) bool {
	for i := range a.Status.Parents {
		x, y := a.Status.Parents[i].Conditions, b.Status.Parents[i].Conditions
		for j := range y {
			if len(x) <= j || x[j].Status != y[j].Status || x[j].ObservedGeneration != y[j].ObservedGeneration || x[j].Message != y[j].Message {
				return false
			}
		}
	}
	return true
}
