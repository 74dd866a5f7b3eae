package weather

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	clientwatch "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
)

// watch follows all writes. Events of several kinds arrive in any order, so it is compared
// at the end by resource version.
type watch struct {
	mu sync.Mutex
	// decisions are the weights of each handler over time.
	decisions map[client.ObjectKey][]decision
	// routed are the writes of the specs of routes, removed the Deployments that went.
	routed, removed []write
	// specs are the generations of routes that were seen: a gateway's write of a status
	// shows the spec of an earlier write once more.
	specs map[string]bool
	// expected are what the test itself deleted.
	expected map[types.UID]bool
	ended    []string
	// last is the newest write of a handler that was seen, blind are the spans in which
	// writes of handlers were not.
	last  uint64
	blind []span
}

// span is the time between two resource versions.
type span struct{ from, to uint64 }

// decision is what the status of a handler said at a resource version.
type decision struct {
	at uint64
	// weights are those of the workloads.
	weights map[string]int32
}

// write is a write of a child.
type write struct {
	at      uint64
	handler client.ObjectKey
	uid     types.UID
	name    string
	// weights are those of a route by Service.
	weights map[string]int32
}

func newWatch(t *testing.T) *watch {
	t.Helper()
	w := &watch{decisions: map[client.ObjectKey][]decision{}, expected: map[types.UID]bool{}, specs: map[string]bool{}}
	w.followKind(t, &v1.GatiHandlerList{})
	w.followKind(t, &gatewayv1.HTTPRouteList{})
	w.followKind(t, &appsv1.DeploymentList{})
	return w
}

// followKind follows a kind for the whole test. A server that was killed knows no earlier
// versions: then the kind is listed again, and what was written in between is not seen.
func (w *watch) followKind(t *testing.T, kind client.ObjectList) {
	t.Helper()
	if err := w.listKind(t.Context(), kind); err != nil {
		t.Fatal(err)
	}
	source := &cache.ListWatch{WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (apiwatch.Interface, error) {
		return admin.Watch(ctx, kind, &client.ListOptions{Raw: &o})
	}}
	go func() {
		for t.Context().Err() == nil {
			events, err := clientwatch.NewRetryWatcherWithContext(t.Context(), kind.GetResourceVersion(), source)
			if err != nil {
				w.recordFailure(err)
				return
			}
			for e := range events.ResultChan() {
				w.recordEvent(e, false)
			}
			for t.Context().Err() == nil && w.listKind(t.Context(), kind) != nil {
				time.Sleep(time.Second) // The server is not back yet.
			}
		}
	}()
}

// listKind takes in what there is now of a kind.
func (w *watch) listKind(ctx context.Context, kind client.ObjectList) error {
	if err := admin.List(ctx, kind); err != nil {
		return err
	}
	seen := w.newestWrite() // before the list raises it: the gap begins there
	err := meta.EachListItem(kind, func(obj runtime.Object) error {
		w.recordEvent(apiwatch.Event{Type: apiwatch.Modified, Object: obj}, true)
		return nil
	})
	at, parsed := strconv.ParseUint(kind.GetResourceVersion(), 10, 64)
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := kind.(*v1.GatiHandlerList); ok {
		w.blind = append(w.blind, span{seen, at})
		w.last = at
	}
	return errors.Join(err, parsed)
}

// newestWrite returns the newest write of a handler that was seen.
func (w *watch) newestWrite() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last
}

func (w *watch) recordFailure(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = append(w.ended, err.Error())
}

// recordEvent takes in an event. What was listed was written at some time before.
func (w *watch) recordEvent(e apiwatch.Event, listed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch obj := e.Object.(type) {
	case *v1.GatiHandler:
		key := client.ObjectKeyFromObject(obj)
		weights := map[string]int32{}
		for _, v := range obj.Status.Versions {
			if v.Workload != "" {
				weights[deploymentOf(obj, v)] += v.Weight
			}
		}
		w.decisions[key] = append(w.decisions[key], decision{parseRevision(obj), weights})
		w.last = max(w.last, parseRevision(obj))
	case *gatewayv1.HTTPRoute:
		spec := fmt.Sprintf("%s %d", obj.UID, obj.Generation)
		if e.Type != apiwatch.Deleted && !listed && !w.specs[spec] {
			w.routed = append(w.routed, w.writeOf(obj, weightsOf(obj)))
		}
		w.specs[spec] = true
	case *appsv1.Deployment:
		if e.Type == apiwatch.Deleted {
			w.removed = append(w.removed, w.writeOf(obj, nil))
		}
	case *metav1.Status: // The watch ends with it, and begins again.
	default:
		w.ended = append(w.ended, fmt.Sprintf("a watch told of a %T", obj))
	}
}

func (w *watch) writeOf(obj client.Object, weights map[string]int32) write {
	out := write{at: parseRevision(obj), uid: obj.GetUID(), name: obj.GetName(), weights: weights}
	if owner := metav1.GetControllerOf(obj); owner != nil {
		out.handler = client.ObjectKey{Namespace: obj.GetNamespace(), Name: owner.Name}
	}
	return out
}

func parseRevision(obj client.Object) uint64 {
	n, err := strconv.ParseUint(obj.GetResourceVersion(), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// expectDeletion notes that the test deletes an object.
func (w *watch) expectDeletion(uid types.UID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.expected[uid] = true
}

// findUndecidedWrites returns each write that no decision before it allows.
func (w *watch) findUndecidedWrites() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.ended
	for _, r := range w.removed {
		decided, known := w.decisionBefore(r)
		if weight := decided.weights[r.name]; known && weight > 0 && !w.expected[r.uid] {
			out = append(out, fmt.Sprintf("Deployment %s of %s was removed while it had %d %%", r.name, r.handler, weight))
		}
	}
	for _, r := range w.routed {
		decided, known := w.decisionBefore(r)
		if !known || len(decided.weights) == 0 || len(r.weights) == 1 {
			continue // A status not yet written, or all of the traffic by the front.
		}
		for service, weight := range r.weights {
			if decided.weights[service] != weight && weight != decided.weightOfFront(r, service) {
				out = append(out, fmt.Sprintf("the route of %s gives %s %d %%, decided were %v", r.handler, service, weight, decided.weights))
			}
		}
	}
	return out
}

// weightOfFront returns the weight of the one workload that a route leaves out: it is
// reached through the handler's front Service until its own has endpoints. It is -1
// for another Service and where there is no such workload.
func (d decision) weightOfFront(route write, service string) int32 {
	out := int32(-1)
	for workload, weight := range d.weights {
		if _, named := route.weights[workload]; named || weight == 0 {
			continue
		}
		if out != -1 {
			return -1
		}
		out = weight
	}
	if service != "handler-"+route.handler.Name {
		return -1
	}
	return out
}

// decisionBefore returns what a handler's status said when a child was written; unknown for a
// write in a span in which writes of handlers were not seen.
func (w *watch) decisionBefore(of write) (last decision, known bool) {
	for _, d := range w.decisions[of.handler] {
		if d.at < of.at {
			last = d
		}
	}
	for _, b := range w.blind {
		if b.from < of.at && of.at <= b.to {
			return last, false
		}
	}
	return last, true
}

func (w *watch) summarize() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	writes := 0
	for _, d := range w.decisions {
		writes += len(d)
	}
	return strings.Join([]string{
		fmt.Sprintf("%d writes of handlers, with %d gaps", writes, len(w.blind)-1), fmt.Sprintf("%d of routes", len(w.routed)),
		fmt.Sprintf("%d Deployments removed", len(w.removed)), fmt.Sprintf("%d children deleted by the test", len(w.expected)),
	}, ", ")
}

// childrenOf returns the objects of a kind that a handler owns.
func childrenOf(ctx context.Context, ns, handler string, list client.ObjectList) ([]client.Object, error) {
	if err := admin.List(ctx, list, client.InNamespace(ns), client.MatchingLabels{v1.LabelHandler: handler}); err != nil {
		return nil, err
	}
	var out []client.Object
	err := meta.EachListItem(list, func(obj runtime.Object) error {
		out = append(out, obj.(client.Object))
		return nil
	})
	return out, err
}
