package handler

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// TestANewHandlersStages holds that a new handler gets its children stage by stage, one each
// turn: what pods need and the workload, what leads traffic to them, the record and the rest.
// The decision is stored before the first, and no Event tells of any of it.
func TestANewHandlersStages(t *testing.T) {
	w := newWorld(t, routed().Replicas(2).Obj())
	for i, want := range [][]string{
		{"create ControllerRevision", "create ConfigMap", "create Deployment"},
		{"create Service", "create HTTPRoute"},
		{"create PodDisruptionBudget"},
		{"create GatiVersion"},
	} {
		result, err := w.reconcile()
		w.must(err)
		var got []string
		for _, write := range w.writes {
			got = append(got, strings.Join(strings.Fields(write)[:2], " "))
		}
		if !slices.Equal(got, want) || (result.RequeueAfter == nextStage) != (i < 3) {
			t.Errorf("turn %d writes %q, and comes again after %s; want %q", i+1, got, result.RequeueAfter, want)
		}
		if st := w.handler().Status; st.Rollout == nil || len(st.Children) == 0 {
			t.Errorf("after turn %d the status is %+v", i+1, st)
		}
	}
	w.checkEvents()
	w.clock.Step(patience)
	w.settle()
	if st := w.handler().Status; st.Plan == nil || st.Plan.Applied == "" || st.Versions[0].Record != "users-v1" {
		t.Errorf("in the end the status is %+v", st)
	}
}

// TestANewHandlersWrites holds the bar of the design: at most 10 writes and 2 Events.
func TestANewHandlersWrites(t *testing.T) {
	w := newWorld(t, builders.MakeHandler("users").Path("/users").Version("v1").Image("app:v1").Default().Strategy(v1.StrategyCanary).Step(100, "").Obj())
	before, writes := w.written(), 0
	turn := func() {
		w.reconcileOnce()
		writes += len(w.writes)
	}
	for range 4 {
		turn()
	}
	w.clock.Step(2 * patience) // Its pods take their time.
	turn()
	w.setReady("handler-users--v1")
	turn()
	w.addEndpoints("handler-users--v1", 1)
	w.clock.Step(10 * time.Second)
	turn()
	w.checkCondition(v1.ConditionReady, metav1.ConditionTrue, "Ready", "")
	// One more is that of the status of the record.
	if statuses := w.written() - before; writes+statuses+1 > 10 {
		t.Errorf("%d writes of children and %d of the status", writes, statuses)
	}
	w.checkEvents("Ready")
}

// TestWhatANewHandlersPodsNeed holds that revision and ConfigMap of a new handler are there once,
// also where the cache lags. Where one fails, no pod runs what no revision
// holds, the status names it, and the next turns make up for it.
func TestWhatANewHandlersPodsNeed(t *testing.T) {
	for name, tc := range map[string]struct {
		fails         string
		hasDeployment bool
	}{
		"both are created":              {"", true},
		"the revision is refused":       {"ControllerRevision", false},
		"what pods read is not created": {"ConfigMap", true}, // The kubelet waits for it.
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, routed().Obj())
			if tc.fails != "" {
				w.fail = failing(tc.fails, errNoAnswer)
			}
			w.unseen = func(obj client.Object) bool { _, is := obj.(*corev1.ConfigMap); return is }
			_, err := w.reconcile()
			_, _ = w.reconcile() // The cache comes later than the answer to the create.
			w.unseen = nil
			if tc.fails == "" {
				w.must(err)
			} else {
				w.checkCondition(v1.ConditionReconciling, metav1.ConditionTrue, "ApplyFailed", tc.fails)
			}
			if err := w.get(&appsv1.Deployment{}, "handler-users"); (err == nil) != tc.hasDeployment {
				t.Errorf("the Deployment: %v, want it %v", err, tc.hasDeployment)
			}
			w.fail = func(string, client.Object) error { return nil }
			w.clock.Step(time.Minute)
			w.settle()
			for _, list := range []client.ObjectList{&appsv1.ControllerRevisionList{}, &corev1.ConfigMapList{}, &appsv1.DeploymentList{}} {
				if w.must(w.live.List(t.Context(), list)); meta.LenList(list) != 1 {
					t.Errorf("%d of %T", meta.LenList(list), list)
				}
			}
		})
	}
}

// TestAProcessThatEndsBeforeTheFirstStatus holds that what a new handler starts with is carried
// on by the next process, which finds a Deployment and no status. Where the user has declared
// another version meanwhile, that version is the stable one, for no pod of the first is ready.
// Under Manual the first stays stable: the records decide.
func TestAProcessThatEndsBeforeTheFirstStatus(t *testing.T) {
	for _, strategy := range []v1.Strategy{v1.StrategyRollingUpdate, v1.StrategyCanary, v1.StrategyManual} {
		for _, declared := range []string{"v1", "v2"} {
			t.Run(fmt.Sprint(strategy, " ", declared), func(t *testing.T) {
				w := newWorld(t, routed().Strategy(strategy).Obj())
				_, err := w.reconcile()
				w.must(err)
				w.r.memory = memory{}
				if declared != "v1" {
					w.change(func(s *v1.GatiHandlerSpec) { s.Version, s.Image = v1.VersionID(declared), "app:v2" })
				}
				w.settle()
				w.clock.Step(patience)
				w.settle()
				var route gatewayv1.HTTPRoute
				w.must(w.get(&route, "handler-users"))
				stable, st := declared, w.handler().Status
				if strategy == v1.StrategyManual {
					stable = "v1"
				}
				if st.Rollout == nil || st.Rollout.Phase != v1.RolloutStarting || st.Rollout.Stable.Version != stable || st.Plan == nil {
					t.Errorf("the status is %+v, the rollout %+v", st, st.Rollout)
				}
				if !slices.ContainsFunc(st.Versions, func(v v1.VersionStatus) bool { return v.Version == declared }) {
					t.Errorf("the versions are %+v, want %s among them", st.Versions, declared)
				}
			})
		}
	}
}

// TestTheFirstTurnRemovesNothing holds that a Service which is there already stays, where the
// status and the Deployment of a handler were lost together.
func TestTheFirstTurnRemovesNothing(t *testing.T) {
	w := newWorld(t, routed().Obj())
	w.settle()
	h := w.handler()
	h.Status = v1.GatiHandlerStatus{}
	w.must(w.live.Status().Update(t.Context(), h))
	for _, child := range []client.Object{&appsv1.Deployment{}, &gatewayv1.HTTPRoute{}} {
		w.must(w.get(child, "handler-users"))
		w.must(w.live.Delete(t.Context(), child))
	}
	w.clock.Step(2 * maxBehind)
	_, err := w.reconcile()
	w.must(err)
	if !slices.Contains(w.writes, "create Deployment handler-users") || slices.ContainsFunc(w.writes, func(write string) bool { return strings.HasPrefix(write, "delete ") }) {
		t.Errorf("the first turn writes %q", w.writes)
	}
}

// TestAFailureOfTheFirstTurnIsReported holds that a Deployment which is refused is named in
// the status in the same turn.
func TestAFailureOfTheFirstTurnIsReported(t *testing.T) {
	w := newWorld(t, routed().Obj())
	w.fail = failing("Deployment", errNoAnswer)
	_, err := w.reconcile()
	w.must(err)
	if !slices.ContainsFunc(w.handler().Status.Children, func(c v1.ChildStatus) bool { return c.Kind == deploymentKind && c.Message != "" }) {
		t.Errorf("children %+v", w.handler().Status.Children)
	}
	if !slices.Contains(w.writes, "create Service handler-users") {
		t.Errorf("what does not fail is not written: %q", w.writes)
	}
	w.fail = func(string, client.Object) error { return nil }
}
