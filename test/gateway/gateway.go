// Package gateway is a Gateway API controller for tests that have no data plane:
// it answers the HTTPRoutes of an API server as a real one would, late, never or
// with a refusal where a test asks for it. It moves no traffic.
package gateway

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// controllerName is what the answers are signed with.
const controllerName = "gati.dev/test-gateway"

// look is how often the routes are looked at.
const look = 100 * time.Millisecond

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
	client client.Client

	mu        sync.Mutex
	behaviors map[string]Behavior
	seen      map[string]time.Time
}

// New returns a controller that is not running yet.
func New(c client.Client) *Controller {
	return &Controller{client: c, behaviors: map[string]Behavior{}, seen: map[string]time.Time{}}
}

// Set changes how the gateway of that name answers from now on.
func (c *Controller) Set(gateway string, b Behavior) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.behaviors[gateway] = b
}

// Run answers until the context ends.
func (c *Controller) Run(ctx context.Context) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = c.answerAll(ctx) // What failed is looked at again.
		}
	}
}

func (c *Controller) answerAll(ctx context.Context) error {
	var routes gatewayv1.HTTPRouteList
	if err := c.client.List(ctx, &routes); err != nil {
		return err
	}
	var errs []error
	for i := range routes.Items {
		errs = append(errs, c.answer(ctx, &routes.Items[i]))
	}
	return errors.Join(errs...)
}

// answer writes what the gateways of a route have to say.
func (c *Controller) answer(ctx context.Context, route *gatewayv1.HTTPRoute) error {
	before := route.DeepCopy()
	for _, ref := range route.Spec.ParentRefs {
		if b, due := c.due(route, string(ref.Name)); due {
			say(route, ref, b.Refusal)
		}
	}
	if len(before.Status.Parents) == len(route.Status.Parents) && same(before, route) {
		return nil
	}
	err := c.client.Status().Patch(ctx, route, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// due tells whether a gateway answers the present generation by now.
func (c *Controller) due(route *gatewayv1.HTTPRoute, gateway string) (Behavior, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, known := c.behaviors[gateway]
	if !known || b.Absent {
		return b, false
	}
	key := string(route.UID) + "/" + gateway + "/" + strconv.FormatInt(route.Generation, 10)
	since, ok := c.seen[key]
	if !ok {
		since = time.Now()
		c.seen[key] = since
	}
	return b, time.Since(since) >= b.After
}

// say writes the answer of one parent.
func say(route *gatewayv1.HTTPRoute, ref gatewayv1.ParentReference, refusal string) {
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

func same(a, b *gatewayv1.HTTPRoute) bool {
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
