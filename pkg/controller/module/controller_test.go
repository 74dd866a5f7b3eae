package module

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/targettest"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/target"
)

// One reconciliation writes the revision, applies the children and reports; where
// something keeps it from that, the status has the reason and what serves is left alone.
func TestReconcile(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	ready := func(m *v1.GatiModule) client.Object {
		n := int32(1)
		return &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Namespace: m.Namespace, Name: "module-db", Labels: map[string]string{v1.LabelModule: "db"}},
			Spec:       appsv1.DeploymentSpec{Replicas: &n},
			Status:     appsv1.DeploymentStatus{Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1},
		}
	}
	foreign := func(m *v1.GatiModule, revision string) client.Object {
		return &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Namespace: m.Namespace, Name: revision}}
	}
	crashing := func(m *v1.GatiModule) client.Object {
		return builders.MakePodOf("module-db", &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: m.Namespace, Name: "module-db-x", Labels: map[string]string{v1.LabelModule: "db"}, CreationTimestamp: metav1.NewTime(now)},
			Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
				Name: "module", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}},
			}}},
		})
	}
	problem := target.Outcome{Children: []target.Child{{Kind: "Service", Name: "module-db", Problem: errors.New("Service module-db exists and is not ours")}}}
	failing := target.Outcome{Again: 2 * time.Second, Children: []target.Child{{Kind: "Service", Name: "module-db", Problem: &target.FailedError{Kind: "Service", Name: "module-db", Err: errors.New("no answer")}}}}
	tests := map[string]struct {
		change    func(*v1.GatiModule)
		namespace *corev1.Namespace
		there     func(*v1.GatiModule) []client.Object
		target    targettest.Fake

		want                    string // condition Ready or Stalled, and part of its message
		wantApplied, wantNoCuts bool
		wantHeld                bool // the Deployment
		wantAgain               time.Duration
		wantErr                 string
	}{
		"a new module":        {want: "Ready=False", wantApplied: true},
		"one that is ready":   {there: func(m *v1.GatiModule) []client.Object { return []client.Object{ready(m)} }, want: "Ready=False", wantApplied: true},
		"a fault of the spec": {change: func(m *v1.GatiModule) { m.Spec.Image = "" }, want: "Valid=False no image is known", wantNoCuts: true},
		"a child in trouble":  {target: targettest.Fake{Outcome: problem}, want: "Stalled=True Service module-db exists and is not ours", wantApplied: true, wantAgain: retryProblem},
		"a foreign revision":  {there: func(m *v1.GatiModule) []client.Object { return []client.Object{foreign(m, revisionOf(t, m))} }, want: "Stalled=True ControllerRevision", wantApplied: true, wantHeld: true, wantNoCuts: true, wantAgain: retryProblem},
		"a target that fails": {target: targettest.Fake{Err: errors.New("down")}, want: "Ready=False", wantApplied: true, wantErr: "down"},
		"a child that fails":  {target: targettest.Fake{Outcome: failing}, want: "Reconciling=True Service module-db could not be written", wantApplied: true, wantAgain: 2 * time.Second},
		"wasm without a runtime": {
			change: func(m *v1.GatiModule) { m.Spec.Type, m.Spec.Runtime = v1.ModuleWasm, "spin" },
			there:  func(m *v1.GatiModule) []client.Object { return []client.Object{crashing(m)} },
			want:   `Ready=False had no entry for the runtime "spin"`, wantApplied: true,
		},
		"a namespace that ends":  {namespace: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default", DeletionTimestamp: &metav1.Time{Time: now}, Finalizers: []string{"x"}}}, wantNoCuts: true},
		"a module that is going": {change: func(m *v1.GatiModule) { m.DeletionTimestamp, m.Finalizers = &metav1.Time{Time: now}, []string{"x"} }, wantNoCuts: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := builders.MakeModule("db").Namespace("default").ModuleName("db").Runtime("node:20").Image("db:v1").Obj()
			m.UID = "uid"
			if tc.change != nil {
				tc.change(m)
			}
			namespace := tc.namespace
			if namespace == nil {
				namespace = &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
			}
			objects := []client.Object{m, namespace}
			if tc.there != nil {
				objects = append(objects, tc.there(m)...)
			}
			c := newClient(t, objects...)
			a := tc.target
			again, err := newReconciler(c, &a, now).Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(m)})
			if got := text(err); (got == "") != (tc.wantErr == "") || !strings.Contains(got, tc.wantErr) {
				t.Fatalf("error %v, want %q", err, tc.wantErr)
			}
			if applied := len(a.Applied) > 0; applied != tc.wantApplied {
				t.Errorf("applied %q, want any: %v", a.Applied, tc.wantApplied)
			}
			if applied := slices.Contains(a.Applied, "Deployment/module-db"); applied != (tc.wantApplied && !tc.wantHeld) {
				t.Errorf("applied %q, want the Deployment to be held: %v", a.Applied, tc.wantHeld)
			}
			var cut appsv1.ControllerRevisionList
			if err := c.List(t.Context(), &cut, client.MatchingLabels{v1.LabelModule: "db"}); err != nil || (len(cut.Items) == 0) != tc.wantNoCuts {
				t.Errorf("%d revisions are cut, error %v; want none: %v", len(cut.Items), err, tc.wantNoCuts)
			}
			if again.RequeueAfter != tc.wantAgain {
				t.Errorf("again after %s, want %s", again.RequeueAfter, tc.wantAgain)
			}
			checkCondition(t, c, m, tc.want)
		})
	}
}

// A second reconciliation of what stands writes nothing.
func TestReconcileTwiceWritesOnce(t *testing.T) {
	m := builders.MakeModule("db").Namespace("default").ModuleName("db").Runtime("node:20").Image("db:v1").Obj()
	m.UID = "uid"
	c := newClient(t, m, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}})
	r := newReconciler(c, &targettest.Fake{}, time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC))
	var versions []string
	for range 3 {
		if _, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(m)}); err != nil {
			t.Fatal(err)
		}
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(m), m); err != nil {
			t.Fatal(err)
		}
		versions = append(versions, m.ResourceVersion)
	}
	if diff := cmp.Diff(versions[0], versions[2]); diff != "" {
		t.Errorf("the status was written again:\n%s", diff)
	}
}

// A changed port is stored before the Service has it: what is applied is never forgotten.
func TestPortsAreStoredFirst(t *testing.T) {
	m := builders.MakeModule("db").Namespace("default").ModuleName("db").Runtime("node:20").Image("db:v1").Port(6000).Obj()
	m.UID, m.Status.Ports = "uid", []int32{50051}
	c := newClient(t, m, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}})
	r := newReconciler(c, &targettest.Fake{Err: errors.New("down")}, time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC))
	if _, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(m)}); err == nil {
		t.Error("no error of a target that fails")
	}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(m), m); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int32{50051, 6000}, m.Status.Ports); diff != "" {
		t.Errorf("status.ports (-want +got):\n%s", diff)
	}
}

// TestThePlanRestsOnItsDeployment holds that the target hears of the Deployment that the
// number of pods was decided from.
func TestThePlanRestsOnItsDeployment(t *testing.T) {
	m := builders.MakeModule("db").Namespace("default").ModuleName("db").Runtime("node:20").Image("db:v1").Obj()
	m.UID = "uid"
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: naming.ModuleChild("db")}}
	c := newClient(t, m, d, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}})
	to := &targettest.Fake{}
	if _, err := newReconciler(c, to, time.Now()).Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(m)}); err != nil {
		t.Fatal(err)
	}
	if got := to.Plan.Scaled[d.Name]; got == nil || got.ResourceVersion == "" {
		t.Errorf("the plan rests on %v, want the Deployment %s as it was read", to.Plan.Scaled, d.Name)
	}
}

func newClient(t *testing.T, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(&v1.GatiModule{}).WithObjects(objects...).
		WithIndex(&v1.GatiHandler{}, observe.ModuleIndex, observe.ModuleKeys).Build()
}

func newReconciler(c client.Client, to *targettest.Fake, now time.Time) *Reconciler {
	return &Reconciler{
		Client: c, Live: c, Targets: to.Set(), Clock: clocktesting.NewFakePassiveClock(now), Events: events.NewFakeRecorder(10),
		Facts: &observe.Facts{Reader: c, Served: func(schema.GroupVersionKind) (bool, error) { return true, nil }, Targets: facts.Targets{Default: v1.TargetKubernetes}},
	}
}

// revisionOf returns the name of the revision that a module leads to.
func revisionOf(t *testing.T, m *v1.GatiModule) string {
	t.Helper()
	c := newClient(t, m, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}})
	if _, err := newReconciler(c, &targettest.Fake{}, time.Now()).Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(m)}); err != nil {
		t.Fatal(err)
	}
	var after v1.GatiModule
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(m), &after); err != nil {
		t.Fatal(err)
	}
	return after.Status.Revision
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// checkCondition checks a condition, such as "Ready=False part of the message"; empty
// for a status that is not written yet.
func checkCondition(t *testing.T, c client.Client, m *v1.GatiModule, want string) {
	t.Helper()
	var after v1.GatiModule
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(m), &after); err != nil {
		t.Fatal(err)
	}
	if want == "" {
		if len(after.Status.Conditions) > 0 {
			t.Errorf("conditions %+v, want none", after.Status.Conditions)
		}
		return
	}
	head, message, _ := strings.Cut(want, " ")
	for _, condition := range after.Status.Conditions {
		if condition.Type+"="+string(condition.Status) == head && strings.Contains(condition.Message, message) {
			return
		}
	}
	t.Errorf("conditions %+v, want %s", after.Status.Conditions, want)
}
