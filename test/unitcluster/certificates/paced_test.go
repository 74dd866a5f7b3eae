package certificates_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// objects is how many there are, so that one is changed every ten seconds at the
// highest rate. An API server tries an apply again, hooks and all, when its watch
// cache is behind the object, which is so for each apply when the same few objects
// are changed all the time.
const objects = 500

// paced applies at a fixed rate, whatever becomes of the applies before: what takes
// long does not slow down what comes after it, and so is not left out.
type paced struct {
	client client.Client
	prefix string // of all names
	rate   int    // a second
	done   chan struct{}
	wait   sync.WaitGroup
	tally  tally
}

// tally counts applies, and what came over the wire for them: client-go tries some
// again, which hides what a caller without it would have seen.
type tally struct {
	mu       sync.Mutex
	offered  int
	answered int
	failed   []error
	statuses map[int]int
}

func startPaced(t *testing.T, c *cluster, rate int) *paced {
	t.Helper()
	p := &paced{rate: rate, prefix: fmt.Sprint("paced-", time.Now().Unix(), "-"), done: make(chan struct{}), tally: tally{statuses: map[int]int{}}}
	config := rest.CopyConfig(c.config)
	config.WarningHandlerWithContext = rest.NoWarnings{}
	config.Wrap(func(inner http.RoundTripper) http.RoundTripper { return counting{inner, &p.tally} })
	var err error
	if p.client, err = client.New(config, client.Options{Scheme: c.client.Scheme()}); err != nil {
		t.Fatal(err)
	}
	began, ctx := time.Now(), context.WithoutCancel(t.Context())
	p.wait.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-p.done:
				return
			case <-time.After(time.Until(began.Add(time.Duration(i) * time.Second / time.Duration(rate)))):
			}
			p.tally.countOffer()
			p.wait.Go(func() { p.tally.countResult(i, p.applyObject(ctx, i)) })
		}
	})
	t.Cleanup(p.stopAndWait)
	return p
}

// stopAndWait waits for what was offered.
func (p *paced) stopAndWait() {
	select {
	case <-p.done:
	default:
		close(p.done)
	}
	p.wait.Wait()
}

func (p *paced) applyObject(ctx context.Context, i int) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return p.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(p.makeObject(i)), client.FieldOwner("ci"), client.ForceOwnership)
}

// makeObject returns one of them: of ten, one is a handler and the others are records of its
// versions; one in fifty is a record through v1alpha1. (A server-side apply through
// v1alpha1 takes the API server some twenty conversions, of the object and of what each
// manager owns of it, so these alone are half of what gati-webhook is called.) Its spec differs from that of the apply before, so the hooks are called
// for it.
func (p *paced) makeObject(i int) *unstructured.Unstructured {
	which, round := i%objects, int64(i/objects)
	handler, revision := p.prefix+strconv.Itoa(which-which%10), fmt.Sprintf("v1.0.%d", which%10)
	name, version, kind := handler+"-"+revision, "gati.dev/v1", "GatiVersion"
	spec := map[string]any{"handler": handler, "version": revision, "traffic": round % 101}
	switch {
	case which%10 == 0:
		name, kind, spec = handler, "GatiHandler", map[string]any{"path": "/" + handler, "image": "app:v1.0.0", "replicas": 1 + round%5}
	case which%50 == 1:
		version, spec = "gati.dev/v1alpha1", map[string]any{"versionId": revision, "routingWeight": round % 101}
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": version, "kind": kind, "spec": spec,
		"metadata": map[string]any{"namespace": "default", "name": name},
	}}
}

func (a *tally) countOffer() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.offered++
}

// countWaiting is how many were offered and are not answered yet.
func (a *tally) countWaiting() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.offered - a.answered - len(a.failed)
}

func (a *tally) countResult(i int, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil {
		a.answered++
		return
	}
	a.failed = append(a.failed, fmt.Errorf("apply %d, at %s: %w", i, time.Now().Format(time.TimeOnly), err))
}

// assertAllAnswered fails unless each apply that was offered was answered with yes. A try that
// was told to come back later, as an overloaded replica may say, did so; every other
// answer than yes fails, also where client-go's second try had more luck.
func (a *tally) assertAllAnswered(t *testing.T) {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	t.Logf("%d applies offered: %d answered, %d failed; answers by status, each try counted: %v", a.offered, a.answered, len(a.failed), a.statuses)
	if len(a.failed) > 0 {
		t.Errorf("%d of %d applies failed; the first: %v", len(a.failed), a.offered, a.failed[0])
	}
	if a.offered != a.answered+len(a.failed) {
		t.Errorf("of %d applies %d are unaccounted for", a.offered, a.offered-a.answered-len(a.failed))
	}
	for status := range maps.Keys(a.statuses) {
		if status != http.StatusOK && status != http.StatusCreated && status != http.StatusTooManyRequests {
			t.Errorf("%d answers had status %d", a.statuses[status], status)
		}
	}
}

// counting notes the status of each answer, 0 where there was none.
type counting struct {
	inner http.RoundTripper
	tally *tally
}

func (c counting) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := c.inner.RoundTrip(r)
	status := 0
	if err == nil {
		status = answer.StatusCode
	}
	c.tally.mu.Lock()
	defer c.tally.mu.Unlock()
	c.tally.statuses[status]++
	return answer, err
}
