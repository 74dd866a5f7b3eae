package decide_test

import (
	"strings"
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/random"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
)

func stampOf(t *testing.T, s *decide.Story) decide.Stamp {
	t.Helper()
	stamp, err := decide.StampHandler(s)
	if err != nil {
		t.Fatal(err)
	}
	return stamp
}

// The stamp depends on spec, facts and kept revisions alone: what else the cluster has
// leaves it, and what leads to other children changes it.
func TestStampHandler(t *testing.T) {
	l := newLife(t, canary())
	unstored := l.story(nil)
	unstored.Handler.UID = ""
	stamp := stampOf(t, unstored)
	for _, child := range []string{"ControllerRevision/" + stamp.Revision(), "Deployment/handler-users--v1-0-0", "Service/handler-users", "HTTPRoute/handler-users"} {
		if !strings.Contains(stamp.Children, child) {
			t.Errorf("the inventory %s lacks %s", stamp.Children, child)
		}
	}
	l.apply(nil)
	if got := stampOf(t, l.story(nil)); got != stamp {
		t.Errorf("once stored and applied it is %v, was %v", got, stamp)
	}
	l.apply(image("app:v2.0.0"))
	if got := stampOf(t, l.story(image("app:v1.0.0"))); got != stamp {
		t.Errorf("beside another version it is %v, was %v", got, stamp)
	}
	for name, change := range map[string]func(*v1.GatiHandlerSpec){
		"another image": image("app:v3.0.0"),
		"replicas":      func(s *v1.GatiHandlerSpec) { n := int32(4); s.Replicas = &n },
		"no route":      func(s *v1.GatiHandlerSpec) { s.Route = nil },
	} {
		if got := stampOf(t, l.story(change)); got.Plan == stamp.Plan {
			t.Errorf("%s: the plan has the same hash", name)
		}
	}
	before := stampOf(t, l.story(nil))
	if got := stampOf(t, l.story(func(s *v1.GatiHandlerSpec) { s.Versions = &v1.VersionPolicy{ColdAfter: "2h"} })); got != before {
		t.Errorf("with another coldAfter it is %v, was %v", got, before)
	}
}

// A revision that is kept stands in the stamp with its own template, whatever this
// release would derive.
func TestStampHasTheKeptTemplate(t *testing.T) {
	l := newLife(t, canary())
	l.apply(nil)
	before := stampOf(t, l.story(nil))
	l.revisions[0].Template.Spec.TerminationGracePeriodSeconds = new(int64)
	if after := stampOf(t, l.story(nil)); after.Plan == before.Plan || after.Children != before.Children {
		t.Errorf("%v, was %v; want another hash of the same children", after, before)
	}
}

// Whatever the spec says, admission and controller have the same stamp, and the
// inventory stays readable.
func TestStampOfRandomSpecs(t *testing.T) {
	source := random.New(t)
	f := facts.Facts{Namespace: "shop", NamespaceImage: "shop:v1", HTTPRouteServed: true}
	tried := 0
	for range 300 {
		h := builders.MakeHandler(strings.Repeat("h", 40)).Namespace("shop").Obj()
		h.Spec = source.HandlerSpec()
		s := &decide.Story{Handler: h, Facts: f}
		resolved, faults := defaulting.ResolveHandler(&h.Spec, f)
		if len(faults) > 0 {
			continue
		}
		s.Resolved, s.Result.Hash = resolved, expand.HandlerInputs(&h.Spec, f)
		tried++
		admitted := stampOf(t, s)
		if len(admitted.Children) > 1024 {
			t.Fatalf("the inventory has %d characters: %s", len(admitted.Children), admitted.Children)
		}
		l := newLife(t, h)
		r := expand.NewHandlerRevision(h, s.Resolved, s.Result.Hash, 7, nil)
		s.Revisions = []expand.Revision{l.stored(r)}
		if applied := stampOf(t, s); applied != admitted {
			t.Fatalf("applied %v, admitted %v of %+v", applied, admitted, h.Spec)
		}
	}
	if tried == 0 {
		t.Error("no spec could be resolved")
	}
}

func TestStampModule(t *testing.T) {
	m := builders.MakeModule("db").Namespace("shop").Image("db:v1").Obj()
	s := &decide.ModuleStory{Module: m}
	s.Result, s.Resolved = admit.Module(m, nil, facts.Facts{Namespace: "shop"})
	before, err := decide.StampModule(s)
	if err != nil || !strings.Contains(before.Children, "Deployment/module-db") || !strings.Contains(before.Children, "NetworkPolicy/module-db") {
		t.Fatalf("%v, error %v", before, err)
	}
	m.UID = "stored"
	if after, err := decide.StampModule(s); after != before || err != nil {
		t.Errorf("once stored it is %v, was %v, error %v", after, before, err)
	}
}
