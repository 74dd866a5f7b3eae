package handler

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/controller/trigger"
	"gati.dev/gati/pkg/facts"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/target"
	"gati.dev/gati/pkg/target/kubernetes"
)

// world is a handler that is reconciled against an API server in memory.
type world struct {
	t     *testing.T
	live  client.Client
	r     *Reconciler
	clock *clocktesting.FakeClock
	// fail returns the answer to a write, nil to let it pass.
	fail func(verb string, obj client.Object) error
	// cached, if set, is what the cache has instead of the live handler.
	cached *v1.GatiHandler
	// mu guards writes and fail: of a new handler, some objects are created side by side.
	mu     sync.Mutex
	writes []string
	// read counts the objects that lists returned: several at once.
	read atomic.Int64
	// beforeGet, if set, is called before the cache is asked for an object. unseen, if set,
	// reports which objects the cache does not show yet.
	beforeGet func(client.Object)
	unseen    func(client.Object) bool
}

// worldScheme has the kinds that a handler is reconciled with, and no others: at each write the
// fake client goes through all of them.
var worldScheme = sync.OnceValues(func() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, appsv1.AddToScheme, autoscalingv2.AddToScheme, batchv1.AddToScheme, discoveryv1.AddToScheme,
		networkingv1.AddToScheme, policyv1.AddToScheme, gatewayv1.Install, kedav1alpha1.AddToScheme, v1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return scheme, nil
})

func newWorld(t *testing.T, h *v1.GatiHandler) *world {
	t.Helper()
	scheme, err := worldScheme()
	if err != nil {
		t.Fatal(err)
	}
	h.UID = "uid"
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: h.Namespace}}
	w := &world{t: t, clock: clocktesting.NewFakeClock(time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC))}
	h.CreationTimestamp = metav1.NewTime(w.clock.Now())
	w.fail = func(string, client.Object) error { return nil }
	base := fake.NewClientBuilder().WithScheme(scheme).WithObjects(h, ns).WithStatusSubresource(&v1.GatiHandler{}).
		WithIndex(&v1.GatiHandler{}, claimIndex, claimKeys).WithIndex(&v1.GatiHandler{}, acceptedIndex, acceptedKeys).
		WithIndex(&v1.GatiVersion{}, observe.RecordIndex, observe.RecordKeys).
		WithReturnManagedFields().Build()
	w.live = base
	cached := interceptor.NewClient(base, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if w.beforeGet != nil {
				w.beforeGet(obj)
			}
			if into, ok := obj.(*v1.GatiHandler); ok && w.cached != nil {
				w.cached.DeepCopyInto(into)
				return nil
			}
			if w.unseen != nil && w.unseen(obj) {
				return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
			}
			return c.Get(ctx, key, obj, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			err := c.List(ctx, list, opts...)
			w.read.Add(int64(meta.LenList(list)))
			return err
		},
		Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
			return w.write("create", obj, func() error {
				obj.SetCreationTimestamp(metav1.NewTime(w.clock.Now())) // As the API server does.
				return c.Create(ctx, obj, opts...)
			})
		},
		Delete: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
			return w.write("delete", obj, func() error { return c.Delete(ctx, obj, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			return w.write("patch", obj, func() error { return c.Patch(ctx, obj, patch, opts...) })
		},
		Apply: func(ctx context.Context, c client.WithWatch, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			return w.write("apply", obj.(client.Object), func() error { return c.Apply(ctx, obj, opts...) })
		},
	})
	w.r = &Reconciler{
		Client: cached, Live: base, Judge: &compat.Judge{}, Clock: w.clock, Events: events.NewFakeRecorder(1000),
		Targets: target.Set{v1.TargetKubernetes: kubernetes.New(cached, base, w.clock, func() []client.ObjectList { return kubernetes.Removable(true, false) })},
		Facts:   &observe.Facts{Reader: base, Served: func(schema.GroupVersionKind) (bool, error) { return true, nil }, Targets: facts.Targets{Default: v1.TargetKubernetes}},
	}
	return w
}

func (w *world) write(verb string, obj client.Object, do func() error) error {
	kind := obj.GetObjectKind().GroupVersionKind().Kind
	if kind == "" {
		gvk, err := w.live.GroupVersionKindFor(obj)
		if err != nil {
			w.t.Fatal(err)
		}
		kind = gvk.Kind
		obj = obj.DeepCopyObject().(client.Object)
		obj.GetObjectKind().SetGroupVersionKind(gvk)
	}
	if err := w.note(verb, kind, obj); err != nil {
		return err
	}
	return do()
}

// note remembers a write that is let pass, or returns the answer to one that is not.
func (w *world) note(verb, kind string, obj client.Object) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.fail(verb, obj)
	if err == nil {
		w.writes = append(w.writes, verb+" "+kind+" "+obj.GetName())
	}
	return err
}

// reconcile reconciles once and returns the error.
func (w *world) reconcile() (ctrl.Result, error) {
	w.t.Helper()
	w.writes = nil
	return trigger.Quiet(w.r).Reconcile(w.t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(w.handler())})
}

// settle reconciles until nothing is written any more.
func (w *world) settle() {
	w.t.Helper()
	for range 20 {
		before := w.handler().ResourceVersion
		if _, err := w.reconcile(); err != nil {
			w.t.Fatal(err)
		}
		if len(w.writes) == 0 && before == w.handler().ResourceVersion {
			return
		}
	}
	w.t.Fatalf("it does not settle: %q", w.writes)
}

func (w *world) handler() *v1.GatiHandler {
	w.t.Helper()
	var list v1.GatiHandlerList
	if err := w.live.List(w.t.Context(), &list); err != nil || len(list.Items) != 1 {
		w.t.Fatalf("%d handlers, error %v", len(list.Items), err)
	}
	return &list.Items[0]
}

func (w *world) change(edit func(*v1.GatiHandlerSpec)) {
	w.t.Helper()
	h := w.handler()
	edit(&h.Spec)
	h.Generation++
	w.must(w.live.Update(w.t.Context(), h))
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) get(obj client.Object, name string) error {
	return w.live.Get(w.t.Context(), client.ObjectKey{Namespace: w.handler().Namespace, Name: name}, obj)
}

// checkCondition checks a condition of the stored status.
func (w *world) checkCondition(kind string, status metav1.ConditionStatus, reason, message string) {
	w.t.Helper()
	c := meta.FindStatusCondition(w.handler().Status.Conditions, kind)
	if c == nil || c.Status != status || c.Reason != reason || !strings.Contains(c.Message, message) {
		w.t.Errorf("condition %+v, want %s=%s %s: %s", c, kind, status, reason, message)
	}
}

func routed() *builders.Handler {
	return builders.MakeHandler("users").Path("/users").Version("v1").Image("app:v1").Gateway("main").Default()
}

var errNoAnswer = apierrors.NewInternalError(errors.New(`failed calling webhook "w": read tcp 10.0.0.1:4711->10.0.0.2:443: connection refused`))

// failing lets every write of a kind fail.
func failing(kind string, err error) func(string, client.Object) error {
	return func(_ string, obj client.Object) error {
		if obj.GetObjectKind().GroupVersionKind().Kind == kind {
			return err
		}
		return nil
	}
}

// A child that cannot be written keeps no other from being written, nor the status from
// being told. It is tried again after at most 30 seconds.
func TestOneFailureKeepsNothingBack(t *testing.T) {
	for _, kind := range []string{"Deployment", "Service", "ConfigMap", "ControllerRevision", "GatiVersion"} {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t, routed().Obj())
			w.settle()
			w.change(func(s *v1.GatiHandlerSpec) {
				s.Version, s.Image, s.Port = "v2", "app:v2", nil
				s.Route.Hostnames = []gatewayv1.Hostname{"new.example"}
				s.SetDefaults()
			})
			w.must(w.live.DeleteAllOf(t.Context(), &corev1.Service{}, client.InNamespace("default")))
			w.fail = failing(kind, errNoAnswer)
			var again []time.Duration
			for range 12 {
				result, err := w.reconcile()
				if err == nil {
					again = append(again, result.RequeueAfter)
				}
				w.clock.Step(31 * time.Second)
			}
			if len(again) > 0 && slices.Max(again) > 30*time.Second {
				t.Errorf("tried again after %v", again)
			}
			var route gatewayv1.HTTPRoute
			w.must(w.get(&route, "handler-users"))
			if len(route.Spec.Hostnames) != 1 {
				t.Errorf("the route was not written: hosts %q", route.Spec.Hostnames)
			}
			w.checkCondition(v1.ConditionReconciling, metav1.ConditionTrue, "ApplyFailed", kind)
			w.checkCondition(v1.ConditionReady, metav1.ConditionFalse, "ApplyFailed", kind)
			if c := meta.FindStatusCondition(w.handler().Status.Conditions, v1.ConditionReady); c != nil && strings.Contains(c.Message, "4711") {
				t.Errorf("the message changes with each connection: %s", c.Message)
			}
			w.fail = func(string, client.Object) error { return nil }
			w.clock.Step(31 * time.Second)
			w.settle()
			w.checkCondition(v1.ConditionReconciling, metav1.ConditionTrue, "Progressing", "")
		})
	}
}

// The weights of a route that exists are written before every child but the Services
// that it names. A new route comes after the workloads.
func TestRouteIsWrittenFirst(t *testing.T) {
	w := newWorld(t, routed().Obj())
	var writes []string
	place := func(verb string) (route, deployment int) {
		writes = nil
		for range 5 {
			if _, err := w.reconcile(); err != nil {
				t.Fatal(err)
			}
			writes = append(writes, w.writes...)
			if route = slices.Index(writes, verb+" HTTPRoute handler-users"); route >= 0 {
				break
			}
		}
		return route, slices.Index(writes, verb+" Deployment handler-users")
	}
	if route, deployment := place("create"); deployment < 0 || route < deployment {
		t.Errorf("a new route is not written after the Deployment: %q", writes)
	}
	w.settle()
	w.change(func(s *v1.GatiHandlerSpec) {
		s.Version, s.Image, s.Route.Hostnames = "v2", "app:v2", []gatewayv1.Hostname{"new.example"}
	})
	if route, deployment := place("apply"); route < 0 || deployment < route {
		t.Errorf("a route that exists is not written before the Deployment: %q", writes)
	}
}

// No pod runs a template that no revision holds.
func TestUnkeptRevisionRunsNowhere(t *testing.T) {
	w := newWorld(t, routed().Obj())
	w.settle()
	w.change(func(s *v1.GatiHandlerSpec) { s.Version, s.Image = "v2", "app:v2" })
	w.fail = failing("ControllerRevision", errNoAnswer)
	for range 3 {
		_, _ = w.reconcile()
	}
	var d appsv1.Deployment
	w.must(w.get(&d, "handler-users"))
	if got := d.Spec.Template.Spec.Containers[0].Image; got != "app:v1" {
		t.Errorf("the Deployment runs %s", got)
	}
}

// A revision that has lost its labels is invisible to the cache, and gets them back.
func TestRevisionWithoutLabels(t *testing.T) {
	w := newWorld(t, routed().Obj())
	w.settle()
	var list appsv1.ControllerRevisionList
	w.must(w.live.List(t.Context(), &list))
	cut := &list.Items[0]
	labels := maps.Clone(cut.Labels)
	cut.Labels = nil
	w.must(w.live.Update(t.Context(), cut))
	w.settle()
	w.must(w.get(cut, cut.Name))
	if !maps.Equal(cut.Labels, labels) {
		t.Errorf("labels %v, want %v", cut.Labels, labels)
	}
}

// A decision is not acted on from a status that is older than the stored one: what was
// removed is not created again.
func TestOutdatedStatusIsNotActedOn(t *testing.T) {
	w := newWorld(t, routed().Obj())
	w.settle()
	w.cached = w.handler()
	h := w.handler()
	h.Annotations = map[string]string{"by": "another leader"}
	w.must(w.live.Update(t.Context(), h))
	w.must(w.live.DeleteAllOf(t.Context(), &corev1.Service{}, client.InNamespace("default")))
	result, err := w.reconcile()
	if err != nil || result.RequeueAfter == 0 {
		t.Errorf("result %+v, error %v: want another try", result, err)
	}
	var service corev1.Service
	if err := w.get(&service, "handler-users"); !apierrors.IsNotFound(err) {
		t.Errorf("it was created again: %v", err)
	}
	w.cached = nil
	w.settle()
	w.must(w.get(&service, "handler-users"))
}

// A Gateway API that is removed and comes again is noticed: the status says what is
// missing, and the route is there again. It is looked for every 30 seconds.
func TestRouteAPIComesAndGoes(t *testing.T) {
	w := newWorld(t, routed().Obj())
	served := true
	w.r.Facts.Served = func(schema.GroupVersionKind) (bool, error) { return served, nil }
	w.settle()
	served = false
	w.must(w.live.DeleteAllOf(t.Context(), &gatewayv1.HTTPRoute{}, client.InNamespace("default")))
	result, err := w.reconcile()
	w.must(err)
	w.checkCondition(v1.ConditionStalled, metav1.ConditionTrue, "NotServed", "install the Gateway API")
	if result.RequeueAfter == 0 || result.RequeueAfter > 30*time.Second {
		t.Errorf("looked for again after %s", result.RequeueAfter)
	}
	served = true
	w.settle()
	w.must(w.get(&gatewayv1.HTTPRoute{}, "handler-users"))
	w.checkCondition(v1.ConditionStalled, metav1.ConditionFalse, "Settled", "")
}

// KEDA that is missing is noticed: the status says what to do, and the ScaledObject follows
// once KEDA is there. It is looked for every 30 seconds.
func TestKedaComesLater(t *testing.T) {
	w := newWorld(t, builders.MakeHandler("users").Path("/users").Version("v1").Image("app:v1").Autoscale(2, 6).Default().Spec(func(s *v1.GatiHandlerSpec) {
		s.Autoscaling.Keda = &v1.Keda{ScaleToZero: new(bool)}
	}).Obj())
	served := false
	w.r.Facts.Served = func(schema.GroupVersionKind) (bool, error) { return served, nil }
	w.settle()
	w.checkCondition(v1.ConditionStalled, metav1.ConditionTrue, "NotServed", "install KEDA or remove spec.autoscaling.keda")
	result, err := w.reconcile()
	w.must(err)
	if result.RequeueAfter == 0 || result.RequeueAfter > 30*time.Second {
		t.Errorf("looked for again after %s", result.RequeueAfter)
	}
	served = true
	w.settle()
	w.must(w.get(&kedav1alpha1.ScaledObject{}, "handler-users"))
	w.checkCondition(v1.ConditionStalled, metav1.ConditionFalse, "Settled", "")
}

// A write that loses a race each time is an error as any other after five tries: it is
// returned, and the status says so.
func TestEndlessRaceIsTold(t *testing.T) {
	gone := apierrors.NewNotFound(schema.GroupResource{Resource: "things"}, "x")
	for _, kind := range []string{"Deployment", "ControllerRevision"} {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t, routed().Obj())
			w.fail = failing(kind, gone)
			reconcile := trigger.Quiet(w.r)
			told := 0
			for i := range 10 {
				_, _ = reconcile.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(w.handler())})
				c := meta.FindStatusCondition(w.handler().Status.Conditions, v1.ConditionReconciling)
				if c != nil && c.Reason == "ApplyFailed" && told == 0 {
					told = i + 1
				}
				w.clock.Step(time.Second)
			}
			if told != 6 {
				t.Errorf("told after %d tries, want 6", told)
			}
		})
	}
}
