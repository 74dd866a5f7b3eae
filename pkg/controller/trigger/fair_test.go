package trigger

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func request(namespace string, n int) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: fmt.Sprint("h", n)}}
}

// TestNamespacesTakeTurns holds that an object waits for at most one object of each other
// namespace and those before it in its own, however many the others have.
func TestNamespacesTakeTurns(t *testing.T) {
	const crowd = 1000
	q := NewOptions(1).NewQueue("turns", NewOptions(1).RateLimiter)
	defer q.ShutDown()
	for i := range crowd {
		q.Add(request("large", i))
		q.Add(request("large", i)) // A second event adds nothing.
	}
	for i := range 3 {
		q.Add(request("small", i))
	}
	q.Add(request("other", 0))
	if got := q.Len(); got != crowd+4 {
		t.Errorf("%d objects wait, want %d", got, crowd+4)
	}
	places, names := map[string][]int{}, map[string]int{}
	for place := range crowd + 4 {
		item, _ := q.Get()
		if want := request(item.Namespace, names[item.Namespace]); item != want {
			t.Errorf("place %d has %v, want %v", place, item, want)
		}
		names[item.Namespace]++
		places[item.Namespace] = append(places[item.Namespace], place)
		if place == 0 {
			q.Add(item) // It changes while it is worked on, and comes last.
		}
		q.Done(item)
	}
	if got, want := fmt.Sprint(places["small"], places["other"]), "[1 4 6] [2]"; got != want {
		t.Errorf("the objects of small namespaces have the places %s of %d, want %s", got, crowd, want)
	}
	if item, _ := q.Get(); item != request("large", 0) || q.Len() != 0 {
		t.Errorf("last comes %v, and %d wait", item, q.Len())
	}
}
