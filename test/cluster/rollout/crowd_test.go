package rollout_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	clientwatch "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/auditlog"
)

// sideBySide is how many requests a crowd makes at once.
const sideBySide = 16

// crowd are many handlers of one namespace, followed by one watch.
type crowd struct {
	*world
	scale   scale
	members map[string]*member

	mu sync.Mutex
	// ended is why there may be more than the watch told of.
	ended string
}

// member is one handler and how it went. Nothing of an object is kept beyond that:
// a thousand films would be long.
type member struct {
	name     string
	replicas int32
	pause    time.Duration

	// went are the decided weights, one after the other; weights are those of now,
	// where the gateway has accepted them.
	went    []string
	weights string
	phase   v1.RolloutPhase
	step    int32
	// until is when the pause of the step is over, lags how long after that each was.
	until   time.Time
	lags    []time.Duration
	history []v1.HistoryEntry
}

func newCrowd(t *testing.T, of scale, random *rand.Rand) *crowd {
	t.Helper()
	c := &crowd{world: newWorld(t), scale: of, members: map[string]*member{}}
	for i := range of.handlers {
		m := &member{
			name: fmt.Sprintf("h%04d", i), replicas: 1 + random.Int31n(3),
			pause: time.Duration(of.shortest+random.Intn(of.longest-of.shortest+1)) * time.Second,
		}
		c.members[m.name] = m
	}
	// A server ends a watch now and then. This one goes on where it ended.
	none := &v1.GatiHandlerList{}
	if err := admin.List(t.Context(), none, client.InNamespace(c.ns)); err != nil {
		t.Fatal(err)
	}
	events, err := clientwatch.NewRetryWatcherWithContext(t.Context(), none.ResourceVersion, handlersOf(c.ns))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(events.Stop)
	go func() {
		why := "the watch has ended"
		for e := range events.ResultChan() {
			h, ok := e.Object.(*v1.GatiHandler)
			if !ok {
				why = fmt.Sprintf("the watch has failed: %v", e.Object)
				break
			}
			c.recordWrite(h, time.Now())
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ended = why
	}()
	return c
}

// handlersOf watches the handlers of a namespace.
func handlersOf(ns string) cache.WatcherWithContext {
	return &cache.ListWatch{WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
		return admin.Watch(ctx, &v1.GatiHandlerList{}, &client.ListOptions{Namespace: ns, Raw: &o})
	}}
}

// recordWrite takes in a write.
func (c *crowd) recordWrite(h *v1.GatiHandler, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m, ro := c.members[h.Name], h.Status.Rollout
	if m == nil || ro == nil {
		return
	}
	m.weights, m.phase, m.history = acceptedWeights(h), ro.Phase, ro.History
	if d := decidedWeights(h); len(m.went) == 0 || m.went[len(m.went)-1] != d {
		m.went = append(m.went, d)
	}
	if ro.Step > m.step && !m.until.IsZero() {
		m.lags = append(m.lags, now.Sub(m.until))
	}
	if m.step != ro.Step {
		m.step, m.until = ro.Step, time.Time{}
	}
	if timed := m.step < 2 && ro.Target != nil; timed && ro.StepStartedAt != nil {
		m.until = ro.StepStartedAt.Add(m.pause)
	}
}

func (c *crowd) makeHandler(m *member) *v1.GatiHandler {
	pause := v1.Duration(m.pause.String())
	return builders.MakeHandler(m.name).Namespace(c.ns).Image("app:v1").Replicas(m.replicas).Path("/"+m.name).Gateway(c.gateway).
		Strategy(v1.StrategyCanary).Step(10, pause).Step(30, pause).Step(50, "").Step(100, "").Spec(func(s *v1.GatiHandlerSpec) {
		s.Rollout.RollbackWindow = "3s"
		s.Versions = &v1.VersionPolicy{MinAge: "1s", Drain: &v1.Drain{Window: "1s", Deadline: "3s"}}
	}).Obj()
}

// forEachMember does something with every member, some at a time.
func (c *crowd) forEachMember(do func(context.Context, *member) error) {
	c.t.Helper()
	group, ctx := errgroup.WithContext(c.t.Context())
	group.SetLimit(sideBySide)
	for _, m := range c.members {
		group.Go(func() error { return do(ctx, m) })
	}
	if err := group.Wait(); err != nil {
		c.t.Fatal(err)
	}
}

func (c *crowd) createHandlers() {
	c.t.Helper()
	c.forEachMember(func(ctx context.Context, m *member) error { return admin.Create(ctx, c.makeHandler(m)) })
}

// patchHandlers merges something into every member.
func (c *crowd) patchHandlers(what func(*member) string) {
	c.t.Helper()
	c.forEachMember(func(ctx context.Context, m *member) error {
		h := &v1.GatiHandler{ObjectMeta: metav1.ObjectMeta{Namespace: c.ns, Name: m.name}}
		return admin.Patch(ctx, h, client.RawPatch(types.MergePatchType, []byte(what(m))))
	})
}

// makePromotion asks for the next step.
func (c *crowd) makePromotion() func(*member) string {
	by := adminName(c.t)
	return func(*member) string {
		body, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{
			v1.AnnotationRequest: "promote/" + string(uuid.NewUUID()), v1.AnnotationRequestedBy: by,
		}}})
		if err != nil {
			panic(err) // Of texts alone.
		}
		return string(body)
	}
}

// awaitAll waits until every member is where it should be.
func (c *crowd) awaitAll(where string, is func(*member) bool) {
	c.t.Helper()
	began := time.Now()
	for last := ""; ; time.Sleep(50 * time.Millisecond) {
		if last = c.describeMissing(is); last == "" {
			c.t.Logf("%s: all after %s", where, time.Since(began).Round(time.Millisecond))
			return
		}
		if time.Since(began) > c.scale.patience {
			c.t.Fatalf("%s: not all within %s: %s", where, c.scale.patience, last)
		}
	}
}

func (c *crowd) describeMissing(is func(*member) bool) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != "" && c.t.Context().Err() == nil {
		c.t.Fatal(c.ended)
	}
	n, such := 0, ""
	for _, m := range c.members {
		if !is(m) {
			n++
			such = fmt.Sprintf("%s, %s, step %d, at %s", m.name, m.phase, m.step, m.weights)
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d, such as %s", n, len(c.members), such)
}

// assertNoWrites holds that gati-webhook comes to rest once nothing changes: for a whole span it
// writes nothing. What went before may be reported first, late on a busy machine.
func (c *crowd) assertNoWrites(when string) {
	c.t.Helper()
	since := time.Now()
	c.eventually(fmt.Sprintf("%s, %s without a write", when, c.scale.quiet), func() error {
		from := time.Now().Add(-c.scale.quiet)
		if from.Before(since) {
			return errors.New("the span is not over yet")
		}
		if wrote := c.readAuditedWrites(func(r auditlog.Request) bool { return r.Received.After(from) }); len(wrote) > 0 {
			return fmt.Errorf("%d writes within %s, such as %s", len(wrote), c.scale.quiet, wrote[0])
		}
		return nil
	})
}

// readAuditedWrites returns the writes of gati-webhook to a crowd that fit.
func (c *crowd) readAuditedWrites(fits func(auditlog.Request) bool) []auditlog.Request {
	c.t.Helper()
	out, err := auditlog.Read(cluster.AuditLog, c.ns, func(r auditlog.Request) bool {
		return r.User.Username == auditlog.ControllersAccount && r.Object.Namespace == c.ns && r.Writes() && fits(r)
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return out
}

// routeChanges is how often the route of a canary of four steps changes: from the
// front to v1's own Service once that has endpoints, the pin of v2, four steps, and
// what is left of v1.
const routeChanges = 7

// assertNoNeedlessWrites holds that no write of a route was needless, and prints how many writes each
// kind had. A route is created and then written for each change. It is handed
// over to apply once: by a write of its own, or by that of a change which is due by then.
func (c *crowd) assertNoNeedlessWrites() {
	c.t.Helper()
	kinds, routes := map[string]int{}, map[string]int64{}
	all := c.readAuditedWrites(func(r auditlog.Request) bool { return r.Response.Code < 300 })
	for _, r := range all {
		kinds[r.Object.Resource]++
		if r.Object.Resource == "httproutes" {
			routes[r.Object.Name]++
		}
	}
	c.t.Logf("%d writes, %.1f for each canary: %v", len(all), float64(len(all))/float64(len(c.members)), kinds)
	var list gatewayv1.HTTPRouteList
	if err := admin.List(c.t.Context(), &list, client.InNamespace(c.ns)); err != nil {
		c.t.Fatal(err)
	}
	if len(list.Items) != len(c.members) {
		c.t.Errorf("%d routes, want %d", len(list.Items), len(c.members))
	}
	for i := range list.Items {
		r := &list.Items[i]
		changes, written := r.Generation-1, routes[r.Name]
		if handovers := written - 1 - changes; handovers < 0 || handovers > 1 || changes > routeChanges {
			c.t.Errorf("%s was created, changed %d times and written %d times; want %d changes at most, and one write without a change", r.Name, changes, written, routeChanges)
		}
	}
}
