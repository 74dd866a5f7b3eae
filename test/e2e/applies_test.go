package e2e

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// appliesPerSecond is the rate at which objects are applied, as long as there are
	// not more than atOnce under way: a machine that is too slow for the rate lowers
	// it, and is not buried under what waits. The rate that came of it is printed.
	appliesPerSecond, atOnce = 20, 20
	// objects is how many there are: one is changed every ten seconds. An API server
	// tries an apply again, hooks and all, when its watch cache is behind the object,
	// which is so for each apply when the same few objects are changed all the time.
	objects = 10 * appliesPerSecond
	// pause is between a failed apply and its one retry: what a person or a CI job
	// takes. On a busy machine the API server may call a dead replica for seconds.
	pause = 5 * time.Second
)

// applies is a run of applies to a namespace, each of which changes a spec, so
// that every hook and every conversion is asked.
type applies struct {
	ns     string
	client client.Client
	done   chan struct{}
	wait   sync.WaitGroup

	// took is how long objects were offered, once all is over.
	took time.Duration

	mu       sync.Mutex
	offered  int
	right    int
	failed   []failedApply
	statuses map[int]int
}

// failedApply is one that was not answered with yes: when it was sent, and when it
// was known to have failed.
type failedApply struct {
	at, ended  time.Time
	err, retry error
}

func startApplies(t *testing.T, ns string) *applies {
	t.Helper()
	a := &applies{ns: ns, done: make(chan struct{}), statuses: map[int]int{}}
	config := rest.CopyConfig(adminConfig)
	// client-go tries some requests again by itself; each answer is counted.
	config.Wrap(func(inner http.RoundTripper) http.RoundTripper { return counting{inner, a} })
	var err error
	if a.client, err = client.New(config, client.Options{Scheme: admin.Scheme()}); err != nil {
		t.Fatal(err)
	}
	a.wait.Go(func() { a.offerAll(context.WithoutCancel(t.Context())) })
	t.Cleanup(a.stopAndWait)
	return a
}

// offerAll applies one object after the other until it is told to stop.
func (a *applies) offerAll(ctx context.Context) {
	began, free := time.Now(), make(chan struct{}, atOnce)
	defer func() { a.took = time.Since(began) }()
	for i, next := 0, began; ; i++ {
		select {
		case <-a.done:
			return
		case <-time.After(time.Until(next)):
		}
		select {
		case <-a.done:
			return
		case free <- struct{}{}:
		}
		// What was late is not caught up with.
		if next = next.Add(time.Second / appliesPerSecond); next.Before(time.Now().Add(-time.Second)) {
			next = time.Now()
		}
		a.countOffer()
		a.wait.Go(func() { a.applyWithRetry(ctx, i, func() { <-free }) })
	}
}

// stopAndWait waits for what was offered.
func (a *applies) stopAndWait() {
	select {
	case <-a.done:
	default:
		close(a.done)
	}
	a.wait.Wait()
}

// applyWithRetry applies, and after a failure once more. It tells when the first was answered.
func (a *applies) applyWithRetry(ctx context.Context, i int, answered func()) {
	at := time.Now()
	err := a.applyObject(ctx, i)
	answered()
	if err == nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.right++
		return
	}
	f := failedApply{at: at, ended: time.Now(), err: err}
	time.Sleep(pause)
	f.retry = a.applyObject(ctx, i)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failed = append(a.failed, f)
}

func (a *applies) applyObject(ctx context.Context, i int) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return a.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(a.makeObject(i)), client.FieldOwner("ci"), client.ForceOwnership)
}

// makeObject returns one of them: a tenth are handlers without pods, the rest records in both
// versions of the API.
func (a *applies) makeObject(i int) *unstructured.Unstructured {
	which, round := i%objects, int64(i/objects)
	version, kind, spec := "gati.dev/v1", "GatiVersion", map[string]any{"version": "v1.0.0", "traffic": round % 101}
	switch {
	case which%10 == 9:
		rollout := map[string]any{"progressDeadline": fmt.Sprintf("%ds", 600+round)}
		kind, spec = "GatiHandler", map[string]any{"path": "/load", "image": "load:v1", "replicas": int64(0), "rollout": rollout}
	case which%2 == 1:
		version, spec = "gati.dev/v1alpha1", map[string]any{"versionId": "v1.0.0", "routingWeight": round % 101}
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": version, "kind": kind, "spec": spec,
		"metadata": map[string]any{"namespace": a.ns, "name": fmt.Sprint("load-", which)},
	}}
}

func (a *applies) countOffer() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.offered++
}

// soFar is how many were offered.
func (a *applies) soFar() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.offered
}

// counting notes the status of each answer, 0 where there was none.
type counting struct {
	inner http.RoundTripper
	to    *applies
}

func (c counting) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := c.inner.RoundTrip(r)
	status := 0
	if err == nil {
		status = answer.StatusCode
	}
	c.to.mu.Lock()
	defer c.to.mu.Unlock()
	c.to.statuses[status]++
	return answer, err
}

// steadyApplies begins to apply twenty objects a second.
func (g given) steadyApplies() {
	g.t.Helper()
	g.gatiIsInstalled()
	g.gatiIsUp()
	g.aNamespace()
	g.applies = startApplies(g.t, g.ns)
	g.logStep("given %d applies a second", appliesPerSecond)
	g.comeTo(3 * appliesPerSecond)
}

// comeTo waits until so many applies more were offered.
func (w *world) comeTo(further int) {
	w.t.Helper()
	target := w.applies.soFar() + further
	w.eventually("applies", func() error {
		if n := w.applies.soFar(); n < target {
			return fmt.Errorf("%d of %d", n, target)
		}
		return nil
	})
}

// noApplyHasFailed ends the applies and wants a yes to each, at the first try.
func (n then) noApplyHasFailed() {
	n.t.Helper()
	n.comeTo(3 * appliesPerSecond)
	n.applies.printCounts(n)
	a := n.applies
	for _, f := range a.failed[:min(5, len(a.failed))] {
		n.t.Errorf("%.1fs: %v; once more: %v", f.at.Sub(n.began).Seconds(), f.err, f.retry)
	}
	for status, count := range a.statuses {
		if status != http.StatusOK && status != http.StatusCreated {
			n.t.Errorf("%d answers had status %d", count, status)
		}
	}
	if len(a.failed) > 0 || a.right != a.offered {
		n.t.Errorf("%d of %d applies failed", len(a.failed), a.offered)
	}
}

// appliesHaveFailedOnlyWithin ends the applies. Those that failed were under way at
// the event or sent within a time of it, and were right on one retry.
func (n then) appliesHaveFailedOnlyWithin(limit time.Duration, event time.Time) {
	n.t.Helper()
	n.comeTo(int(limit.Seconds()+5) * appliesPerSecond)
	n.applies.printCounts(n)
	a, last := n.applies, time.Duration(0)
	for _, f := range a.failed {
		after := f.at.Sub(event)
		last = max(last, after)
		if f.ended.Before(event) || after > limit {
			n.t.Errorf("an apply failed that was sent %.1fs after the kill and ended %.1fs after it: %v", after.Seconds(), f.ended.Sub(event).Seconds(), f.err)
		}
		if f.retry != nil {
			n.t.Errorf("the retry of an apply failed as well, %.1fs after the kill: %v", after.Seconds(), f.retry)
		}
	}
	n.logStep("then the last failed apply was sent %.1fs after the kill", last.Seconds())
}

// printCounts stops the applies and prints the counts.
func (a *applies) printCounts(n then) {
	n.t.Helper()
	a.stopAndWait()
	n.logStep("then of %d applies offered at %.1f/s %d were right at once and %d failed; answers by status %v: %v",
		a.offered, float64(a.offered)/a.took.Seconds(), a.right, len(a.failed), slices.Sorted(maps.Keys(a.statuses)), a.statuses)
	if a.offered != a.right+len(a.failed) {
		n.t.Errorf("%d applies are unaccounted for", a.offered-a.right-len(a.failed))
	}
}
