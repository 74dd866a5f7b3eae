package fleet

import (
	"context"
	"fmt"
	"regexp"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
)

// nameOf finds the workload that a child is of.
var nameOf = regexp.MustCompile(`f\d{6}`)

// record has the times at which the children of each workload appeared.
type record struct {
	mu sync.Mutex
	// first are those of the child that people wait for, whole those of the last child.
	first, whole map[string]time.Time
	missing      map[string]int
	ready        map[string]bool
	// parents are what the children follow from, as they were last.
	parents map[string]*unstructured.Unstructured
	// changed is the time of the last event.
	changed time.Time
}

// watchChildren records the children of a subject until the test ends.
func watchChildren(t *testing.T, c dynamic.Interface, ns string, s subject) *record {
	t.Helper()
	r := &record{first: map[string]time.Time{}, whole: map[string]time.Time{}, missing: map[string]int{}, ready: map[string]bool{},
		parents: map[string]*unstructured.Unstructured{}, changed: time.Now()}
	all := 0
	for _, kind := range s.children {
		all += kind.count
	}
	ctx, cancel := context.WithCancel(context.Background())
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(c, 0, ns, nil)
	if !s.parent.Empty() {
		_, err := factory.ForResource(s.parent).Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(o any) { r.keepParent(o) }, UpdateFunc: func(_, o any) { r.keepParent(o) }, DeleteFunc: func(any) { r.noteChange(nil) },
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, kind := range s.children {
		_, err := factory.ForResource(kind.of).Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(o any) { r.addChild(o.(*unstructured.Unstructured), all, i == 0); r.noteChange(o) },
			UpdateFunc: func(_, o any) { r.noteChange(o) },
			DeleteFunc: func(any) { r.noteChange(nil) },
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	t.Cleanup(func() {
		cancel()
		factory.Shutdown()
	})
	return r
}

func (r *record) addChild(o *unstructured.Unstructured, all int, isFirst bool) {
	name, now := nameOf.FindString(o.GetName()), time.Now()
	if name == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, seen := r.missing[name]; !seen {
		r.missing[name] = all
	}
	if r.missing[name]--; r.missing[name] == 0 {
		r.whole[name] = now
	}
	if _, seen := r.first[name]; isFirst && !seen {
		r.first[name] = now
	}
}

// keepParent keeps a parent as it is now.
func (r *record) keepParent(o any) {
	parent := o.(*unstructured.Unstructured)
	r.mu.Lock()
	r.parents[parent.GetName()] = parent
	r.mu.Unlock()
	r.noteChange(nil)
}

// checkParents returns an error until every parent meets a condition.
func (r *record) checkParents(check func(*unstructured.Unstructured) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, parent := range r.parents {
		if err := check(parent); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// noteChange keeps when something happened last, and which Deployments have their pods.
func (r *record) noteChange(o any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed = time.Now()
	d, _ := o.(*unstructured.Unstructured)
	if d == nil || d.GetKind() != "Deployment" {
		return
	}
	if ready, _, _ := unstructured.NestedInt64(d.Object, "status", "readyReplicas"); ready > 0 {
		r.ready[nameOf.FindString(d.GetName())] = true
	}
}

// checkWhole returns an error until n workloads have all their children, and the pods of
// those that have a Deployment are ready.
func (r *record) checkWhole(n int, withPods bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.whole) < n || withPods && len(r.ready) < n {
		return fmt.Errorf("%d of %d have their first child, %d all, %d ready pods", len(r.first), n, len(r.whole), len(r.ready))
	}
	return nil
}

// checkQuiet returns an error until nothing has happened for a while.
func (r *record) checkQuiet(while time.Duration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if since := time.Since(r.changed); since < while {
		return fmt.Errorf("the last event was %s ago", since.Round(time.Second))
	}
	return nil
}
