package handler

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// TestANewHandlersPodsComeFirst holds that the first turn of a new handler writes its
// Deployment with what the pods read, the second all else, and that no Event tells of that.
func TestANewHandlersPodsComeFirst(t *testing.T) {
	w := newWorld(t, routed().Obj())
	_, err := w.reconcile()
	w.must(err)
	if got := strings.Join(w.writes, ", "); !strings.HasSuffix(got, "create Deployment handler-users") || strings.Contains(got, "Service") || strings.Contains(got, "GatiVersion") {
		t.Errorf("the first turn writes %s", got)
	}
	if !isBlank(w.handler()) {
		t.Errorf("the first turn writes the status %+v", w.handler().Status)
	}
	_, err = w.reconcile()
	w.must(err)
	for _, want := range []string{"create Service handler-users", "create HTTPRoute handler-users", "create GatiVersion users-v1"} {
		if !slices.Contains(w.writes, want) {
			t.Errorf("the second turn writes %q, want %s", w.writes, want)
		}
	}
	if st := w.handler().Status; len(st.Children) != 4 || st.Plan == nil || st.Plan.Applied == "" || st.Rollout == nil {
		t.Errorf("the second turn writes the status %+v", st)
	}
	w.checkEvents()
	w.settle()
	if w.r.memory.recall(w.handler()).isStarted {
		t.Error("a handler whose children are all there counts as started")
	}
}

// TestWhatANewHandlersPodsNeed holds that revision and ConfigMap of a new handler, side by side,
// are created before its Deployment, each once. Where one fails, no pod runs what no revision
// holds, the status names it, and the next turns make up for it.
func TestWhatANewHandlersPodsNeed(t *testing.T) {
	kinds := func(writes []string) (all []string) {
		for _, write := range writes {
			all = append(all, strings.Join(strings.Fields(write)[:2], " "))
		}
		return all
	}
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
			w.unseen = isReadByPods // The cache comes later than the answer to the create.
			_, err := w.reconcile()
			w.unseen = nil
			if first := kinds(w.writes); tc.fails == "" {
				w.must(err)
				slices.Sort(first[:2])
				if want := []string{"create ConfigMap", "create ControllerRevision", "create Deployment"}; !slices.Equal(first, want) {
					t.Errorf("the first turn writes %q, want %q", first, want)
				}
			} else {
				_, _ = w.reconcile()
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

// TestAFirstStatusWaitsForPodsThatAreReady holds that pods which were ready before the other
// children were written lead to one write of the status and one Event. Where that takes
// too long, the status says so meanwhile.
func TestAFirstStatusWaitsForPodsThatAreReady(t *testing.T) {
	for name, tc := range map[string]struct {
		late time.Duration
	}{
		"the endpoints come at once": {0},
		"the endpoints come late":    {patience},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, builders.MakeHandler("users").Path("/users").Version("v1").Image("app:v1").Default().Strategy(v1.StrategyCanary).Step(100, "").Obj())
			_, err := w.reconcile()
			w.must(err)
			w.setReady("handler-users--v1")
			w.clock.Step(10 * patience)
			result, err := w.reconcile()
			w.must(err)
			if !slices.Contains(w.writes, "create Service handler-users") || !isBlank(w.handler()) || result.RequeueAfter == 0 || result.RequeueAfter > patience {
				t.Errorf("the second turn writes %q and the status %+v, and is looked at again after %s", w.writes, w.handler().Status, result.RequeueAfter)
			}
			w.clock.Step(tc.late)
			if tc.late > 0 {
				_, err = w.reconcile()
				w.must(err)
				w.checkCondition(v1.ConditionReady, metav1.ConditionFalse, "Progressing", "")
			}
			w.addEndpoints("handler-users--v1")
			w.clock.Step(10 * time.Second)
			w.settle()
			w.checkCondition(v1.ConditionReady, metav1.ConditionTrue, "Ready", "")
			w.checkEvents("Ready")
		})
	}
}

// TestAFirstStatusInACrowdWaitsForPods holds that a handler whose turn came late gets its first
// status with its pods, or when that has taken too long; the failure of a child waits for none.
func TestAFirstStatusInACrowdWaitsForPods(t *testing.T) {
	w := newWorld(t, builders.MakeHandler("users").Path("/users").Version("v1").Image("app:v1").Default().Obj())
	_, err := w.reconcile()
	w.must(err)
	w.clock.Step(2 * patience)
	for range 2 {
		result, err := w.reconcile()
		w.must(err)
		if !isBlank(w.handler()) || result.RequeueAfter == 0 || result.RequeueAfter > patience {
			t.Errorf("the status is %+v, and is looked at again after %s", w.handler().Status, result.RequeueAfter)
		}
	}
	w.clock.Step(patience)
	_, err = w.reconcile()
	w.must(err)
	w.checkCondition(v1.ConditionReady, metav1.ConditionFalse, "Progressing", "")
}

// TestTheRecordOfACrowdComesLast holds that a handler whose turn came late gets its children
// first, then its record, and that its first status, which names the record, is its only one.
func TestTheRecordOfACrowdComesLast(t *testing.T) {
	w := newWorld(t, builders.MakeHandler("users").Path("/users").Version("v1").Image("app:v1").Default().Strategy(v1.StrategyCanary).Step(100, "").Obj())
	_, err := w.reconcile()
	w.must(err)
	w.clock.Step(2 * patience)
	result, err := w.reconcile()
	w.must(err)
	if !slices.Contains(w.writes, "create Service handler-users") || strings.Contains(strings.Join(w.writes, ", "), "GatiVersion") || result.RequeueAfter != patience {
		t.Errorf("the second turn writes %q, and the third comes after %s", w.writes, result.RequeueAfter)
	}
	w.setReady("handler-users--v1")
	w.addEndpoints("handler-users--v1")
	w.clock.Step(10 * time.Second)
	before := w.written()
	_, err = w.reconcile()
	w.must(err)
	if got, statuses := strings.Join(w.writes, ", "), w.written()-before; got != "create GatiVersion users-v1" || statuses != 1 {
		t.Errorf("the third turn writes %s, and the status %d times", got, statuses)
	}
	if st := w.handler().Status; len(st.Versions) != 1 || st.Versions[0].Record != "users-v1" {
		t.Errorf("the versions of the status are %+v", st.Versions)
	}
	w.checkCondition(v1.ConditionReady, metav1.ConditionTrue, "Ready", "")
	w.checkEvents("Ready")
}

// TestAFirstStatusTellsOfAFailureAtOnce holds that a child which cannot be written is named in
// the first status, however late that is.
func TestAFirstStatusTellsOfAFailureAtOnce(t *testing.T) {
	w := newWorld(t, builders.MakeHandler("users").Path("/users").Version("v1").Image("app:v1").Default().Obj())
	_, err := w.reconcile()
	w.must(err)
	w.setReady("handler-users")
	w.clock.Step(2 * patience)
	w.fail = failing("Service", errNoAnswer)
	_, err = w.reconcile()
	w.must(err)
	w.checkCondition(v1.ConditionReady, metav1.ConditionFalse, "ApplyFailed", "Service")
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

// setReady has all pods of a Deployment ready.
func (w *world) setReady(name string) {
	w.t.Helper()
	var d appsv1.Deployment
	w.must(w.get(&d, name))
	d.Status = appsv1.DeploymentStatus{ObservedGeneration: d.Generation, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1}
	w.must(w.live.Status().Update(w.t.Context(), &d))
}

// addEndpoints creates a ready pod of a Deployment and the endpoints of its Service.
func (w *world) addEndpoints(name string) {
	w.t.Helper()
	var d appsv1.Deployment
	w.must(w.get(&d, name))
	now := metav1.NewTime(w.clock.Now())
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name + "-p", Namespace: d.Namespace, Labels: d.Spec.Template.Labels},
		Status:     corev1.PodStatus{PodIP: "10.0.0.1", Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: now}}},
	}
	builders.MakePodOf(name, pod)
	yes := true
	endpoints := &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{Name: name + "-e", Namespace: d.Namespace, CreationTimestamp: now, Labels: map[string]string{
			v1.LabelHandler: w.handler().Name, discoveryv1.LabelServiceName: name,
		}},
		Endpoints: []discoveryv1.Endpoint{{
			Conditions: discoveryv1.EndpointConditions{Ready: &yes}, TargetRef: &corev1.ObjectReference{Kind: "Pod", Name: pod.Name},
		}},
	}
	w.must(w.live.Create(w.t.Context(), pod))
	w.must(w.live.Create(w.t.Context(), endpoints))
}

// checkEvents checks the reasons of the Events since the last look.
func (w *world) checkEvents(want ...string) {
	w.t.Helper()
	var got []string
	for told := w.r.Events.(*events.FakeRecorder).Events; len(told) > 0; {
		got = append(got, strings.Fields(<-told)[1])
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("Events %q, want %q", got, want)
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
