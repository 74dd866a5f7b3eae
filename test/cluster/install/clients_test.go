package install

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/api/v1alpha1"
)

// stepLabel counts the changes that the test makes to an object.
const stepLabel = "test.gati.dev/step"

// watched are the kinds, each watched in both versions.
var (
	watched  = []string{"gatihandlers", "gatimodules", "gativersions"}
	versions = []schema.GroupVersion{v1.GroupVersion, v1alpha1.GroupVersion}
)

// clients are controllers of others: informers, as client-go makes them, on every
// kind in both versions.
type clients struct {
	watches *watchCounter

	mu sync.Mutex
	// seen are the events by the kind and version of their watch: "added a",
	// "changed a to 1", "deleted a".
	seen map[string]map[string]bool
}

// startClients starts them and returns when each has its first list.
func startClients(t *testing.T, ns string) *clients {
	t.Helper()
	c := &clients{seen: map[string]map[string]bool{}, watches: &watchCounter{seen: map[string]int{}}}
	config := rest.CopyConfig(env.Config)
	config.WarningHandlerWithContext = rest.NoWarnings{}
	config.Wrap(c.watches.wrapTransport)
	dynamics, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(dynamics, 0, ns, nil)
	for _, version := range versions {
		for _, kind := range watched {
			name := version.Version + "/" + kind
			c.seen[name] = map[string]bool{}
			informer := factory.ForResource(version.WithResource(kind)).Informer()
			if _, err := informer.AddEventHandler(c.newEventHandler(name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	factory.Start(t.Context().Done())
	for resource, ok := range factory.WaitForCacheSync(t.Context().Done()) {
		if !ok {
			t.Fatalf("no list of %s", resource)
		}
	}
	return c
}

// newEventHandler notes what one informer tells.
func (c *clients) newEventHandler(name string) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(obj any, _ bool) { c.recordEvent(name, "added "+nameOf(obj)) },
		UpdateFunc: func(was, is any) {
			if before, now := stepOf(was), stepOf(is); before != now {
				c.recordEvent(name, fmt.Sprintf("changed %s to %s", nameOf(is), now))
			}
		},
		DeleteFunc: func(obj any) {
			if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				obj = gone.Obj
			}
			c.recordEvent(name, "deleted "+nameOf(obj))
		},
	}
}

func (c *clients) recordEvent(name, event string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[name][event] = true
}

// checkMissed returns the events of a kind that a client was not told of.
func (c *clients) checkMissed(kind string, events []string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, version := range versions {
		name := version.Version + "/" + kind
		left := slices.DeleteFunc(slices.Clone(events), func(e string) bool { return c.seen[name][e] })
		if len(left) > 0 {
			return fmt.Errorf("%s was not told of %d of %d events, such as: %s", name, len(left), len(events), left[0])
		}
	}
	return nil
}

func nameOf(obj any) string { return obj.(*unstructured.Unstructured).GetName() }

func stepOf(obj any) string { return obj.(*unstructured.Unstructured).GetLabels()[stepLabel] }

// watchCounter counts the watches that clients begin: one more than before means
// that the API server has cut one, and that it was resumed.
type watchCounter struct {
	next http.RoundTripper
	mu   sync.Mutex
	seen map[string]int
}

func (w *watchCounter) wrapTransport(next http.RoundTripper) http.RoundTripper {
	w.next = next
	return w
}

// RoundTrip implements http.RoundTripper.
func (w *watchCounter) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Query().Get("watch") == "true" {
		parts := strings.Split(request.URL.Path, "/")
		w.mu.Lock()
		w.seen[parts[3]+"/"+parts[len(parts)-1]]++
		w.mu.Unlock()
	}
	return w.next.RoundTrip(request)
}

// readCounts returns the watches so far, by version and kind.
func (w *watchCounter) readCounts() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.seen)
}

// atRest returns a check that passes once no watch has begun for five seconds: the API
// server cuts the watches of a changed CRD some time after the change.
func (w *watchCounter) atRest() func() error {
	last, since := w.readCounts(), time.Now()
	return func() error {
		if now := w.readCounts(); !maps.Equal(last, now) {
			last, since = now, time.Now()
		}
		if rest := time.Since(since); rest < 5*time.Second {
			return fmt.Errorf("watches were begun %s ago", rest.Round(time.Millisecond))
		}
		return nil
	}
}
