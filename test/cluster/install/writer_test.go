package install

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// pace is the pause after each round of writes.
const pace = 50 * time.Millisecond

// writer makes events while something else happens. No object has two of them in
// one round of the test, so that none can hide behind a later one.
type writer struct {
	client dynamic.Interface
	ns     string
	round  int
	// stopping tells the writes to end.
	stopping atomic.Bool
	ended    chan struct{}

	// events are what was written, by kind; failed are the writes that were not
	// accepted.
	events map[string][]string
	failed []error
	writes int
}

// stockRecords stores the records that the rounds will change and delete.
func stockRecords(t *testing.T, ns string, rounds int) {
	t.Helper()
	w := newWriter(t, ns, 0)
	for round := 1; round <= rounds; round++ {
		for i := range spare {
			for _, use := range []string{"change", "delete"} {
				w.createRecord(t.Context(), recordName(round, use, i), i)
			}
		}
	}
	if len(w.failed) > 0 {
		t.Fatalf("%d of %d records were not stored: %v", len(w.failed), w.writes, w.failed[0])
	}
}

func recordName(round int, use string, i int) string { return fmt.Sprintf("r%d-%s-%d", round, use, i) }

func newWriter(t *testing.T, ns string, round int) *writer {
	t.Helper()
	config := rest.CopyConfig(env.Config)
	config.WarningHandlerWithContext = rest.NoWarnings{}
	c, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return &writer{client: c, ns: ns, round: round, events: map[string][]string{}, ended: make(chan struct{})}
}

// startWriting writes until stop is called: each turn changes a handler, a module and a
// record, creates a record and deletes one, in turns through v1 and v1alpha1.
func (w *writer) startWriting(handlers, modules []string) {
	go func() {
		defer close(w.ended)
		ctx := context.Background()
		for i := 0; !w.stopping.Load(); i++ {
			if i < len(handlers) {
				w.changeObject(ctx, "gatihandlers", handlers[i], i)
			}
			if i < len(modules) {
				w.changeObject(ctx, "gatimodules", modules[i], i)
			}
			if i < spare {
				w.changeObject(ctx, "gativersions", recordName(w.round, "change", i), i)
				w.deleteRecord(ctx, recordName(w.round, "delete", i), i)
				w.createRecord(ctx, recordName(w.round, "create", i), i)
			}
			time.Sleep(pace)
		}
	}()
}

// stopWriting ends the writes.
func (w *writer) stopWriting() {
	w.stopping.Store(true)
	<-w.ended
}

func (w *writer) resourceOf(kind string, i int) dynamic.ResourceInterface {
	return w.client.Resource(versions[i%len(versions)].WithResource(kind)).Namespace(w.ns)
}

func (w *writer) recordWrite(kind, event string, err error) {
	w.writes++
	if err != nil {
		w.failed = append(w.failed, fmt.Errorf("%s %s at %s: %w", kind, event, time.Now().Format(time.TimeOnly), err))
		return
	}
	w.events[kind] = append(w.events[kind], event)
}

func (w *writer) changeObject(ctx context.Context, kind, name string, i int) {
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:"%d"}}}`, stepLabel, w.round)
	_, err := w.resourceOf(kind, i).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	w.recordWrite(kind, fmt.Sprintf("changed %s to %d", name, w.round), err)
}

func (w *writer) createRecord(ctx context.Context, name string, i int) {
	_, err := w.resourceOf("gativersions", i).Create(ctx, newRecord(versions[i%len(versions)], name), metav1.CreateOptions{})
	w.recordWrite("gativersions", "added "+name, err)
}

func (w *writer) deleteRecord(ctx context.Context, name string, i int) {
	err := w.resourceOf("gativersions", i).Delete(ctx, name, metav1.DeleteOptions{})
	w.recordWrite("gativersions", "deleted "+name, err)
}

// newRecord returns a record of a handler that is not there: it has no children, and
// the controller leaves it alone once it has said so.
func newRecord(version schema.GroupVersion, name string) *unstructured.Unstructured {
	field := "version"
	if version == versions[1] {
		field = "versionId"
	}
	obj := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{field: "v1.0.0"}}}
	obj.SetGroupVersionKind(version.WithKind("GatiVersion"))
	obj.SetName(name)
	return obj
}
