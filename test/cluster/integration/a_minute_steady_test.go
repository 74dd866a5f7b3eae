package integration

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/local"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/test/support/await"
)

const (
	manyHandlers = 100
	manyModules  = 50
)

// "Steady state for 60 s with 100 handlers and 50 modules: the audit log has 0
// writes by gati-webhook other than leases." Other tests run meanwhile; what
// counts is every write that is not in a namespace of theirs. The short form has a
// tenth of the objects and a quarter of the time; make soak NAME=steadyStateWritesNothing has all.
func TestSteadyStateWritesNothing(t *testing.T) {
	t.Parallel()
	handlers, modules, watched := manyHandlers/10, manyModules/10, 15*time.Second
	if soak.IsLong("steadyStateWritesNothing") {
		handlers, modules, watched = manyHandlers, manyModules, time.Minute
	}
	ns := makeNamespace(t)
	createAll(t, handlers, func(i int) client.Object {
		return builders.MakeHandler(fmt.Sprintf("h%d", i)).Namespace(ns).Image("app:v1.0.0").Obj()
	})
	createAll(t, modules, func(i int) client.Object {
		return builders.MakeModule(fmt.Sprintf("m%d", i)).Namespace(ns).ModuleName("m").Runtime("node:20").Image("m:v1.0.0").Obj()
	})
	await.Within(t, 3*time.Minute, fmt.Sprintf("%d handlers and %d modules that are Ready", handlers, modules), func() error {
		return allReady(t, ns, handlers+modules)
	})
	awaitSettled(t, ns)

	// The span is what is measured; nothing is waited for.
	from := time.Now()
	time.Sleep(watched)
	to := time.Now()

	if err := allReady(t, ns, handlers+modules); err != nil {
		t.Fatalf("after %s they are not as they were: %v", watched, err)
	}
	ours := map[string]bool{"": true, ns: true, local.Namespace: true}
	renewals := 0
	wrote, err := readAudit(func(r request) bool {
		if r.Received.Before(from) || r.Received.After(to) || !r.Writes() {
			return false
		}
		if r.Object.Resource == "leases" {
			renewals++
			return false
		}
		return ours[r.Object.Namespace]
	})
	if err != nil {
		t.Fatal(err)
	}
	if renewals == 0 {
		t.Error("not even its lease was renewed: the log proves nothing")
	}
	if len(wrote) > 0 {
		var lines []string
		for _, r := range wrote[:min(len(wrote), 10)] {
			lines = append(lines, r.String())
		}
		t.Errorf("%d writes within %s at rest, want 0:\n%s", len(wrote), watched, strings.Join(lines, "\n"))
	}
}

// createAll creates n objects, some at a time.
func createAll(t *testing.T, n int, make func(int) client.Object) {
	t.Helper()
	var group errgroup.Group
	group.SetLimit(8)
	for i := range n {
		group.Go(func() error { return admin.Create(context.Background(), make(i)) })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
}

// allReady checks that a namespace has n handlers and modules and that each is
// Ready for its present spec.
func allReady(t *testing.T, ns string, n int) error {
	t.Helper()
	var found, ready int
	var last error
	look := func(obj client.Object, conditions []metav1.Condition) {
		found++
		if err := checkCondition(conditions, v1.ConditionReady, metav1.ConditionTrue, obj.GetGeneration()); err != nil {
			last = fmt.Errorf("%s: %w", obj.GetName(), err)
			return
		}
		ready++
	}
	for _, h := range listObjects[v1.GatiHandler, v1.GatiHandlerList](t, ns) {
		look(&h, h.Status.Conditions)
	}
	for _, m := range listObjects[v1.GatiModule, v1.GatiModuleList](t, ns) {
		look(&m, m.Status.Conditions)
	}
	if found != n || ready != n {
		return fmt.Errorf("%d there and %d Ready, want %d; such as %w", found, ready, n, last)
	}
	return nil
}
