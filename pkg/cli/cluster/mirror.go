package cluster

import (
	"context"
	"errors"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/status"
)

const (
	// retry is how long to wait before a list that ended is read again.
	retry = time.Second
	// silence is the time without an answer after which the live view reports it.
	silence = 5 * time.Second
)

// errSilent is the error for a server that has accepted a request and not answered yet.
var errSilent = errors.New("the server does not answer")

// mirror holds the latest objects of one source. A Reflector of client-go keeps its Store
// up to date; the mirror adds the state that a Reflector does not expose: whether the
// source was read, and why and since when it cannot be.
type mirror struct {
	cache.Store
	source
	c        client.WithWatch
	patience time.Duration
	// live reports a list that is not answered yet.
	live bool
	// changed has room for one signal: its reader sees all changes so far.
	changed chan<- struct{}

	mu    sync.Mutex
	read  bool
	err   error
	since time.Time
}

// run keeps the mirror up to date until the context ends. Where watching is not allowed,
// the list is read again.
func (m *mirror) run(ctx context.Context) {
	both := &cache.ListWatch{ListWithContextFunc: m.listSource, WatchFuncWithContext: m.watchSource}
	cache.NewReflectorWithOptions(cache.ToListWatcherWithWatchListSemantics(both, m), nil, m,
		cache.ReflectorOptions{Name: m.resource, Backoff: &wait.Backoff{Duration: retry}}).RunWithContext(ctx)
}

// IsWatchListSemanticsUnSupported has the Reflector begin with a list: it needs no right
// to watch, and its end shows whether the server answers.
func (m *mirror) IsWatchListSemanticsUnSupported() bool { return true }

// listSource reads the source past the server's cache, which could lack the user's last
// apply. A server that accepts the request and never answers has until patience; the live
// view shows errSilent after silence.
func (m *mirror) listSource(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
	if o.ResourceVersion == "0" {
		o.ResourceVersion = ""
	}
	began, told := time.Now(), make(chan struct{})
	bounded, cancel := context.WithTimeout(ctx, m.patience)
	defer cancel()
	if m.live {
		timer := time.AfterFunc(silence, func() { m.recordRead(errSilent, began); close(told) })
		defer func() {
			if !timer.Stop() {
				<-told // before the answer is recorded
			}
		}()
	}
	l, err := m.readPage(bounded, m.c, o)
	if err != nil && ctx.Err() == nil {
		m.recordRead(err, began)
	}
	return l, err
}

// watchSource follows the source. Without the right to watch the list is there, and is read
// again.
func (m *mirror) watchSource(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	began := time.Now()
	w, err := m.c.Watch(ctx, m.newList(), m.withRaw(&client.ListOptions{Raw: &o})...)
	if ctx.Err() == nil && !apierrors.IsForbidden(err) {
		m.recordRead(err, began)
	}
	return w, err
}

// recordRead notes that the source was read, or why it cannot be and when that was tried.
// What it last held stays.
func (m *mirror) recordRead(err error, at time.Time) {
	m.mu.Lock()
	if m.err == nil {
		m.since = at
	}
	m.err = err
	m.mu.Unlock()
	m.UpdateResourceVersion("")
}

// UpdateResourceVersion signals a change: the Reflector calls it after each.
func (m *mirror) UpdateResourceVersion(string) {
	select {
	case m.changed <- struct{}{}:
	default: // a signal is waiting already
	}
}

// Replace takes a whole list.
func (m *mirror) Replace(list []any, version string) error {
	err := m.Store.Replace(list, version)
	m.mu.Lock()
	m.read = true
	m.mu.Unlock()
	m.recordRead(err, time.Now())
	return err
}

// unreadableError returns why the source cannot be read, once that has been so for long.
func (m *mirror) unreadableError(patience time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil && time.Since(m.since) >= patience {
		return m.err
	}
	return nil
}

// addTo adds the objects of the mirror, and names the source where it cannot be read. It
// reports whether the source has been tried. With part, children may be missing.
func (m *mirror) addTo(objs *status.Objects, part bool) (tried bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	tried = m.read || m.err != nil
	switch {
	case m.err != nil:
		objs.Unread = append(objs.Unread, status.Unread{Resource: m.resource, Reason: reasonFor(m.err), Since: m.since})
	case !tried && part && !m.holdsOwners():
		objs.Unread = append(objs.Unread, status.Unread{Resource: m.resource, Reason: status.NotYet})
		tried = true
	}
	for _, o := range m.List() {
		addObject(objs, o)
	}
	return tried
}
