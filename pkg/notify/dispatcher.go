package notify

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	v1 "gati.dev/gati/api/v1"
)

const (
	// saveEvery is the time between two writes of the states, at least.
	saveEvery = time.Second
	// lastSave bounds that at the end of a term.
	lastSave = 3 * time.Second
)

// Dispatcher delivers events during one term of a leader.
type Dispatcher struct {
	Sinks []Sink
	// Secrets is the folder of the Secret gati-notifications.
	Secrets string
	Store   Store
	// Cache has the informers of handlers and modules.
	Cache cache.Informers
	// Clock returns the API server's time, as the statuses have it.
	Clock clock.PassiveClock
	Log   logr.Logger

	client *http.Client
	dirty  chan struct{}
	loaded *corev1.ConfigMap
	// complete is set once every object was observed.
	complete atomic.Bool

	mu     sync.Mutex
	queues []*queue
	counts map[[2]string]float64
}

// Start delivers events until the context ends.
func (d *Dispatcher) Start(ctx context.Context) error {
	d.client, d.dirty = newHTTPClient(), make(chan struct{}, 1)
	if err := d.loadQueues(ctx); err != nil {
		return nil //nolint:nilerr // only the end of the context ends the tries
	}
	filled, err := d.watchObjects(ctx)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, q := range d.queues {
		group.Go(func() error { d.deliverAll(ctx, q); return nil })
	}
	group.Go(func() error { d.saveAll(ctx); return nil })
	group.Go(func() error {
		if toolscache.WaitForCacheSync(ctx.Done(), filled...) {
			d.complete.Store(true)
		}
		return nil
	})
	return group.Wait()
}

// loadQueues makes the queues from the stored states, and stores those of new sinks.
func (d *Dispatcher) loadQueues(ctx context.Context) (err error) {
	for tries := 1; ; tries++ {
		if d.loaded, err = d.Store.load(ctx); err == nil {
			break
		}
		d.Log.Error(err, "notifications wait")
		if !waitFor(ctx, retryDelay(tries, err)) {
			return ctx.Err()
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.Sinks {
		st, known := decodeState(d.loaded.Data[s.Name], d.Clock.Now())
		if !known {
			d.markDirty()
		}
		d.queues = append(d.queues, newQueue(s, st, d.Clock.Now, func(n int) { go d.countTries(s.Name, dropped, n) }))
	}
	return nil
}

// watchObjects observes every handler and module from now on.
func (d *Dispatcher) watchObjects(ctx context.Context) (filled []toolscache.InformerSynced, err error) {
	handlers, err := d.Cache.GetInformer(ctx, &v1.GatiHandler{}, cache.BlockUntilSynced(false))
	if err != nil {
		return nil, fmt.Errorf("watch handlers: %w", err)
	}
	modules, err := d.Cache.GetInformer(ctx, &v1.GatiModule{}, cache.BlockUntilSynced(false))
	if err != nil {
		return nil, fmt.Errorf("watch modules: %w", err)
	}
	for _, informer := range []cache.Informer{handlers, modules} {
		registered, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
			AddFunc:    func(obj any) { d.observeObject(obj) },
			UpdateFunc: func(before, after any) { d.observeChange(before, after) },
			DeleteFunc: func(obj any) { d.forgetObject(obj) },
		})
		if err != nil {
			return nil, fmt.Errorf("watch for events: %w", err)
		}
		filled = append(filled, registered.HasSynced)
	}
	return filled, nil
}

// observeChange skips a change that has no new event.
func (d *Dispatcher) observeChange(before, after any) {
	if old, ok := before.(*v1.GatiHandler); ok && !hasNews(old, after.(*v1.GatiHandler)) {
		return
	}
	d.observeObject(after)
}

func hasNews(before, after *v1.GatiHandler) bool {
	if before.ResourceVersion == after.ResourceVersion {
		return false
	}
	return !equality.Semantic.DeepEqual(before.Status.Conditions, after.Status.Conditions) ||
		!equality.Semantic.DeepEqual(historyOf(before), historyOf(after))
}

func historyOf(h *v1.GatiHandler) []v1.HistoryEntry {
	if h.Status.Rollout == nil {
		return nil
	}
	return h.Status.Rollout.History
}

func (d *Dispatcher) observeObject(obj any) {
	switch o := obj.(type) {
	case *v1.GatiHandler:
		d.observeEvents(Object{"GatiHandler", o.Namespace, o.Name}, HandlerEvents(o))
	case *v1.GatiModule:
		d.observeEvents(Object{"GatiModule", o.Namespace, o.Name}, ModuleEvents(o))
	}
}

func (d *Dispatcher) forgetObject(obj any) {
	if gone, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
		obj = gone.Obj
	}
	switch o := obj.(type) {
	case *v1.GatiHandler:
		d.observeEvents(Object{"GatiHandler", o.Namespace, o.Name}, nil)
	case *v1.GatiModule:
		d.observeEvents(Object{"GatiModule", o.Namespace, o.Name}, nil)
	}
}

func (d *Dispatcher) observeEvents(object Object, events []Event) {
	for _, q := range d.queues {
		q.observeEvents(object, events)
	}
}

// deliverAll delivers the events of one sink, one after the other, until the context
// ends.
func (d *Dispatcher) deliverAll(ctx context.Context, q *queue) {
	for tries := 0; ; {
		e, ok := q.nextEvent()
		if !ok {
			select {
			case <-ctx.Done():
				return
			case <-q.wake:
			}
			continue
		}
		err := sendEvent(ctx, d.client, q.sink, d.Secrets, e)
		if ctx.Err() != nil && err != nil {
			return
		}
		if err == nil {
			tries = 0
			q.finishEvent(e)
			d.countTries(q.sink.Name, delivered, 1)
			d.markDirty()
			continue
		}
		tries++
		d.countTries(q.sink.Name, failed, 1)
		d.Log.Error(err, "a notification was not delivered", "sink", q.sink.Name, "event", e.Kind, "namespace", e.Object.Namespace, "name", e.Object.Name, "id", e.ID)
		if refused, ok := errors.AsType[*sendError](err); ok && refused.isFinal {
			tries = 0
			q.finishEvent(e)
			d.countTries(q.sink.Name, dropped, 1)
			d.markDirty()
			continue
		}
		if !waitFor(ctx, retryDelay(tries, err)) {
			return
		}
	}
}

// waitFor returns false when the context has ended.
func waitFor(ctx context.Context, how time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(how):
		return true
	}
}

func (d *Dispatcher) markDirty() {
	select {
	case d.dirty <- struct{}{}:
	default:
	}
}

// saveAll stores the states soon after they have changed, and at the end.
func (d *Dispatcher) saveAll(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			select {
			case <-d.dirty:
				last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastSave)
				defer cancel()
				if err := d.saveStates(last); err != nil {
					d.Log.Error(err, "the last notifications may be sent again")
				}
			default:
			}
			return
		case <-d.dirty:
		}
		if err := d.saveStates(ctx); err != nil && ctx.Err() == nil {
			d.Log.Error(err, "what was notified could not be stored and is tried again")
			d.markDirty()
		}
		waitFor(ctx, saveEvery)
	}
}

// saveStates stores the states. Where another process has stored its own it takes them in.
func (d *Dispatcher) saveStates(ctx context.Context) error {
	states := map[string]string{}
	for _, q := range d.queues {
		text, err := q.encodeState(d.complete.Load())
		if err != nil {
			return err
		}
		states[q.sink.Name] = text
	}
	stored, err := d.Store.save(ctx, d.loaded, states)
	if err == nil {
		d.loaded = stored
		return nil
	}
	if !isConflict(err) {
		return err
	}
	loaded, failed := d.Store.load(ctx)
	if failed != nil {
		return errors.Join(err, failed)
	}
	d.loaded = loaded
	for _, q := range d.queues {
		if other, known := decodeState(loaded.Data[q.sink.Name], d.Clock.Now()); known {
			q.mergeState(other)
		}
	}
	return err
}
