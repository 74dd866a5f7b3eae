package decide_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/observe"
)

var start = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// life is a handler in a cluster that does at once what it is told: its pods are ready,
// its gateway accepts every route.
type life struct {
	t         *testing.T
	h         *v1.GatiHandler
	facts     facts.Facts
	revisions []expand.Revision
	workloads map[string]*expand.Observed
	route     *gatewayv1.HTTPRoute
	now       time.Time
}

func newLife(t *testing.T, h *v1.GatiHandler) *life {
	t.Helper()
	h.UID = types.UID("uid-of-" + h.Name)
	return &life{t: t, h: h, facts: facts.Facts{Namespace: h.Namespace, HTTPRouteServed: true}, now: start, workloads: map[string]*expand.Observed{}}
}

// story returns all that is known of the handler with a changed spec.
func (l *life) story(change func(*v1.GatiHandlerSpec)) *decide.Story {
	h := l.h.DeepCopy()
	if change != nil {
		change(&h.Spec)
	}
	s := &decide.Story{Handler: h, Facts: l.facts, Revisions: slices.Clone(l.revisions), Workloads: l.workloads}
	s.Result, s.Resolved = admit.Handler(h, nil, l.facts)
	if l.route != nil {
		s.Route = observe.Route(l.route, h.Name, decide.FrontWorkload(h))
	}
	return s
}

// plan returns the plan of a story.
func (l *life) plan(s *decide.Story) decide.Planned {
	l.t.Helper()
	plan, err := decide.Plan(s, &compat.Judge{}, l.now)
	if err != nil {
		l.t.Fatal(err)
	}
	return plan
}

// apply carries a plan out, with a changed spec.
func (l *life) apply(change func(*v1.GatiHandlerSpec)) decide.Planned {
	l.t.Helper()
	s := l.story(change)
	plan := l.plan(s)
	if len(plan.Errors) > 0 || plan.Decision.Undecided || len(plan.Lost) > 0 {
		l.t.Fatalf("errors %v, undecided %v: %s, lost %v", plan.Errors, plan.Decision.Undecided, plan.Decision.Reason, plan.Lost)
	}
	return l.carryOut(s)
}

// carryOut plans a story and does what was planned. A Deployment that is not planned
// although its template is lost stays.
func (l *life) carryOut(s *decide.Story) decide.Planned {
	l.t.Helper()
	plan := l.plan(s)
	held := map[string]*expand.Observed{}
	for name, w := range l.workloads {
		for _, lost := range plan.Lost {
			if w.Deployment != nil && w.Deployment.Name == lost.Deployment {
				held[name] = w
			}
		}
	}
	l.h = s.Handler
	l.h.Status.Versions, l.h.Status.Rollout, l.h.Status.Ports = plan.Decision.Versions, plan.Decision.Rollout, plan.Ports
	if plan.IsCut {
		l.revisions = append(l.revisions, l.stored(plan.Running))
	}
	l.workloads = held
	for _, child := range plan.Children {
		switch o := child.(type) {
		case *appsv1.Deployment:
			l.workloads[o.Labels[v1.LabelWorkload]] = readyWorkload(o)
		case *gatewayv1.HTTPRoute:
			l.route = acceptedRoute(o, l.route)
			l.h.Status.Rollout.RouteGeneration = l.route.Generation
		}
	}
	return plan
}

// stored returns a revision as it is read back.
func (l *life) stored(r expand.Revision) expand.Revision {
	l.t.Helper()
	object, err := expand.HandlerRevisionObject(l.h, r)
	if err != nil {
		l.t.Fatal(err)
	}
	out, err := expand.ReadRevision(object, l.h)
	if err != nil {
		l.t.Fatal(err)
	}
	return out
}

func readyWorkload(d *appsv1.Deployment) *expand.Observed {
	d = d.DeepCopy()
	n := int32(1)
	if d.Spec.Replicas != nil {
		n = *d.Spec.Replicas
	}
	d.Status = appsv1.DeploymentStatus{Replicas: n, UpdatedReplicas: n, ReadyReplicas: n}
	w := &expand.Observed{Deployment: d, HasEndpoints: true, ServedSince: start.Add(-time.Hour)}
	for range n {
		w.Reachable = append(w.Reachable, start.Add(-time.Hour))
	}
	return w
}

func acceptedRoute(route, before *gatewayv1.HTTPRoute) *gatewayv1.HTTPRoute {
	route = route.DeepCopy()
	route.Generation = 1
	if before != nil {
		route.Generation = before.Generation + 1
	}
	for _, ref := range route.Spec.ParentRefs {
		parent := gatewayv1.RouteParentStatus{ParentRef: ref}
		for _, kind := range []gatewayv1.RouteConditionType{gatewayv1.RouteConditionAccepted, gatewayv1.RouteConditionResolvedRefs} {
			parent.Conditions = append(parent.Conditions, metav1.Condition{Type: string(kind), Status: metav1.ConditionTrue, ObservedGeneration: route.Generation})
		}
		route.Status.Parents = append(route.Status.Parents, parent)
	}
	return route
}

// names returns the kinds and names of the children.
func names(p decide.Planned) []string {
	var out []string
	for _, child := range p.Children {
		out = append(out, child.GetObjectKind().GroupVersionKind().Kind+"/"+child.GetName())
	}
	slices.Sort(out)
	return out
}

// shares returns the backends of the route's first rule with their weights.
func shares(p decide.Planned) string {
	var out []string
	for _, child := range p.Children {
		if route, ok := child.(*gatewayv1.HTTPRoute); ok {
			for _, b := range route.Spec.Rules[0].BackendRefs {
				out = append(out, fmt.Sprintf("%s=%d", b.Name, *b.Weight))
			}
		}
	}
	return strings.Join(out, " ")
}

func canary() *v1.GatiHandler {
	h := builders.MakeHandler("users").Namespace("shop").Path("/users").Image("app:v1.0.0").Strategy(v1.StrategyCanary).Gateway("web").Obj()
	h.Spec.Rollout.Steps = []v1.RolloutStep{{Weight: 20}, {Weight: 50}}
	return h
}

func image(name string) func(*v1.GatiHandlerSpec) {
	return func(s *v1.GatiHandlerSpec) { s.Image = name }
}

// A plan of a new handler has the children that its strategy needs.
func TestPlanOfANewHandler(t *testing.T) {
	for name, tc := range map[string]struct {
		h    *v1.GatiHandler
		want []string
	}{
		"RollingUpdate": {
			builders.MakeHandler("users").Namespace("shop").Path("/users").Image("app:v1.0.0").Obj(),
			[]string{"Deployment/handler-users", "Service/handler-users"},
		},
		"Canary with a gateway": {
			canary(),
			[]string{"Deployment/handler-users--v1-0-0", "HTTPRoute/handler-users", "Service/handler-users", "Service/handler-users--v1-0-0"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLife(t, tc.h)
			plan := l.plan(l.story(nil))
			got := slices.DeleteFunc(names(plan), func(n string) bool { return strings.HasPrefix(n, "ConfigMap/") })
			if diff := cmp.Diff(tc.want, got); diff != "" || !plan.IsCut || plan.Running.Version != "v1.0.0" {
				t.Errorf("cut %v, version %s; children (-want +got):\n%s", plan.IsCut, plan.Running.Version, diff)
			}
		})
	}
}

// A change that is no input of the pods leaves every child of a canary in its middle as
// it is, whatever the handler alone would lead to.
func TestPlanOfAnUnrelatedFieldInMidCanary(t *testing.T) {
	l := newLife(t, canary())
	l.apply(nil)
	l.apply(image("app:v2.0.0"))
	for range 10 {
		if p := l.apply(nil); strings.Contains(shares(p), "=20") {
			break
		}
	}
	same := l.plan(l.story(nil))
	if want := "handler-users=80 handler-users--v2-0-0=20"; shares(same) != want && shares(same) != "handler-users--v1-0-0=80 handler-users--v2-0-0=20" {
		t.Fatalf("the canary has %s, want 20 %% for v2.0.0", shares(same))
	}
	changed := l.plan(l.story(func(s *v1.GatiHandlerSpec) { s.Versions = &v1.VersionPolicy{ColdAfter: "2h"} }))
	if diff := cmp.Diff(same.Children, changed.Children); diff != "" || changed.IsCut {
		t.Errorf("cut %v; children (-same +changed):\n%s", changed.IsCut, diff)
	}
}

// What keeps a plan from being made is returned, and nothing beside it.
func TestNoPlan(t *testing.T) {
	t.Run("errors of the spec", func(t *testing.T) {
		l := newLife(t, canary())
		plan := l.plan(l.story(func(s *v1.GatiHandlerSpec) { s.Path = "users" }))
		if len(plan.Errors) != 1 || plan.Errors[0].Field != "spec.path" || plan.Children != nil || plan.Decision.Versions != nil {
			t.Errorf("errors %v, children %v", plan.Errors, names(plan))
		}
	})
}

// A template that is lost keeps its Deployment from being planned, and nothing else: a
// canary goes on to 100 %, and the version before it is removed.
func TestLostTemplate(t *testing.T) {
	l := newLife(t, canary())
	l.h.Spec.Rollout.Steps = nil
	l.apply(nil)
	l.apply(image("app:v2.0.0"))
	lost := l.revisions[0].Name
	l.revisions = l.revisions[1:]
	plan := l.plan(l.story(nil))
	if len(plan.Lost) != 1 || plan.Lost[0].Revision != lost || plan.Lost[0].Deployment != "handler-users--v1-0-0" || len(plan.Lost[0].ConfigMaps) == 0 {
		t.Fatalf("lost %+v, want %s", plan.Lost, lost)
	}
	if got := plan.LostTemplate(); got == nil || !strings.Contains(got.Error(), lost) {
		t.Errorf("error %v, want one about %s", got, lost)
	}
	if got := plan.LostTemplate(); !strings.Contains(got.Error(), "stays as it is") {
		t.Errorf("error %v, want that the Deployment stays", got)
	}
	if err := plan.Lost[0].Problem(); err == nil {
		t.Error("no problem, although it has traffic")
	}
	without := l.story(nil)
	without.Workloads = maps.Clone(without.Workloads)
	without.Workloads["v1-0-0"] = &expand.Observed{}
	gone := l.plan(without)
	if got := gone.LostTemplate(); got == nil || !strings.Contains(got.Error(), "and so is Deployment handler-users--v1-0-0") {
		t.Errorf("error %v, want that the Deployment is gone too", got)
	}
	has := names(plan)
	if slices.Contains(has, "Deployment/handler-users--v1-0-0") {
		t.Errorf("a Deployment without a template is planned: %q", has)
	}
	for _, want := range []string{"Deployment/handler-users--v2-0-0", "Service/handler-users--v1-0-0", "Service/handler-users", "HTTPRoute/handler-users"} {
		if !slices.Contains(has, want) {
			t.Errorf("%s is missing in %q", want, has)
		}
	}
	drained := false
	for range 20 {
		l.now = l.now.Add(30 * time.Minute)
		plan = l.carryOut(l.story(nil))
		for _, lost := range plan.Lost {
			drained = drained || !lost.HasTraffic
			if err := lost.Problem(); !lost.HasTraffic && err != nil {
				t.Errorf("a version that only drains: %v", err)
			}
		}
	}
	if !drained {
		t.Error("v1.0.0 never drained without its template")
	}
	if got := plan.Decision.Rollout; got.Stable.Version != "v2.0.0" || got.Phase != v1.RolloutStable || len(plan.Lost) > 0 {
		t.Errorf("stable is %s, %s, lost %+v: %s", got.Stable.Version, got.Phase, plan.Lost, plan.Decision.Reason)
	}
}

// With the status lost, a workload that the route alone names and that is gone keeps
// nothing from being decided.
func TestLostStatusAndWorkload(t *testing.T) {
	l := newLife(t, canary())
	l.apply(nil)
	l.h.Status = v1.GatiHandlerStatus{}
	l.workloads = map[string]*expand.Observed{}
	story := l.story(image("app:v2.0.0"))
	story.Route.Weights = map[string]int32{"v1-0-0": 100}
	plan := l.plan(story)
	if plan.Decision.Undecided || !slices.Contains(names(plan), "Deployment/handler-users--v2-0-0") {
		t.Errorf("undecided %v: %s; children %q", plan.Decision.Undecided, plan.Decision.Reason, names(plan))
	}
}

// A version whose traffic was not measured stays: unknown is not zero.
func TestUnmeasuredVersionStays(t *testing.T) {
	l := newLife(t, canary())
	l.h.Spec.Rollout.Steps = nil
	l.apply(nil)
	l.apply(image("app:v2.0.0"))
	for range 20 {
		l.now = l.now.Add(30 * time.Minute)
		s := l.story(nil)
		s.TrafficSource = decide.Unmeasured
		plan := l.plan(s)
		if !slices.Contains(names(plan), "Deployment/handler-users--v1-0-0") {
			t.Fatalf("after %s v1.0.0 is gone: %s", l.now.Sub(start), plan.Decision.Reason)
		}
		l.h.Status.Versions, l.h.Status.Rollout, l.h.Status.Ports = plan.Decision.Versions, plan.Decision.Rollout, plan.Ports
	}
}
