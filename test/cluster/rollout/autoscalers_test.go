package rollout_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/soak"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
	"gati.dev/gati/pkg/ownership"
	"gati.dev/gati/test/support/auditlog"
	"gati.dev/gati/test/support/keda"
)

// scaler is who scales a handler.
type scaler string

const (
	byHPA  scaler = "HPA"
	byKeda scaler = "KEDA"
	byNone scaler = "none"
)

// scaledBy sets who scales a handler, between 3 and 10 pods.
func scaledBy(by scaler) func(*v1.GatiHandler) {
	return func(h *v1.GatiHandler) {
		a := &v1.Autoscaling{Enabled: ptr(by != byNone), MinReplicas: ptr[int32](3), MaxReplicas: ptr[int32](10)}
		if by == byKeda {
			a.Keda = &v1.Keda{Cron: []v1.KedaCron{{Timezone: "Etc/UTC", Start: "0 8 * * *", End: "0 18 * * *", Replicas: 5}}}
		}
		h.Spec.Autoscaling = a
	}
}

// canaryAtHalf is a handler whose canary stays at 50 %.
func (w *world) canaryAtHalf(version string) *builders.Handler {
	return builders.MakeHandler("users").Namespace(w.ns).Image("app:"+version).Replicas(4).Path("/users").Gateway(w.gateway).
		Strategy(v1.StrategyCanary).Step(50, "1h").Step(100, "").Spec(func(s *v1.GatiHandlerSpec) {
		s.Autoscaling = &v1.Autoscaling{Enabled: ptr(true), MinReplicas: ptr[int32](3), MaxReplicas: ptr[int32](10)}
	})
}

// floors are the fewest pods of the workloads of a canary at half.
var floors = map[string]int32{"handler-users--v1": 4, "handler-users--v2": 2}

// withKeda installs the stand-in of KEDA for the namespace.
func (w *world) withKeda() {
	w.t.Helper()
	if err := keda.Install(w.t.Context(), admin); err != nil {
		w.t.Fatal(err)
	}
	w.eventually("a server of ScaledObjects", func() error {
		return admin.List(w.t.Context(), &kedav1alpha1.ScaledObjectList{}, client.InNamespace(w.ns))
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- (&keda.Operator{Client: admin, Namespace: w.ns}).Run(ctx) }()
	w.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			w.t.Error(err)
		}
	})
}

// referee watches the autoscalers and Deployments of a namespace, and notes each state
// that must not be.
type referee struct {
	mu sync.Mutex
	// scaled reports whether no moment without an autoscaler may be.
	scaled bool
	live   map[string]map[string]bool
	faults []string
}

func (w *world) newReferee() *referee {
	w.t.Helper()
	r := &referee{live: map[string]map[string]bool{}}
	for _, list := range []client.ObjectList{&autoscalingv2.HorizontalPodAutoscalerList{}, &appsv1.DeploymentList{}} {
		events, err := admin.Watch(w.t.Context(), list, client.InNamespace(w.ns))
		if err != nil {
			w.t.Fatal(err)
		}
		w.t.Cleanup(events.Stop)
		go func() {
			for event := range events.ResultChan() {
				r.recordEvent(event)
			}
		}()
	}
	return r
}

func (r *referee) recordEvent(event watch.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch o := event.Object.(type) {
	case *metav1.Status:
		r.faults = append(r.faults, "the referee's watch was cut: "+o.Message)
	case *autoscalingv2.HorizontalPodAutoscaler:
		r.seeAutoscaler(event.Type, o)
	case *appsv1.Deployment:
		if n := *o.Spec.Replicas; event.Type != watch.Deleted && n < floors[o.Name] {
			r.faults = append(r.faults, fmt.Sprintf("%s: %d pods wanted, the floor is %d", o.Name, n, floors[o.Name]))
		}
	}
}

func (r *referee) seeAutoscaler(what watch.EventType, a *autoscalingv2.HorizontalPodAutoscaler) {
	of := a.Spec.ScaleTargetRef.Name
	if r.live[of] == nil {
		r.live[of] = map[string]bool{}
	}
	if what == watch.Deleted {
		delete(r.live[of], a.Name)
		if r.scaled && len(r.live[of]) == 0 {
			r.faults = append(r.faults, of+": no autoscaler is left")
		}
		return
	}
	r.live[of][a.Name] = true
	if len(r.live[of]) > 1 {
		r.faults = append(r.faults, fmt.Sprintf("%s: %d autoscalers", of, len(r.live[of])))
	}
	if *a.Spec.MinReplicas < floors[of] {
		r.faults = append(r.faults, fmt.Sprintf("%s: an autoscaler from %d pods up, the floor is %d", of, *a.Spec.MinReplicas, floors[of]))
	}
}

// expectAutoscaler sets whether an autoscaler must be there from now on.
func (r *referee) expectAutoscaler(scaled bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.scaled = scaled
}

func (r *referee) assertNoFaults(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.faults {
		t.Error(f)
	}
}

// isScaledBy waits until each workload is scaled by whom the spec names.
func (w *world) isScaledBy(by scaler) {
	w.t.Helper()
	w.eventually("workloads scaled by "+string(by), func() error {
		for name := range floors {
			if err := w.checkScaler(name, by); err != nil {
				return err
			}
		}
		return nil
	}, func() string { return describeHandler(w.readHandler("users")) })
}

func (w *world) checkScaler(name string, by scaler) error {
	key := client.ObjectKey{Namespace: w.ns, Name: name}
	var a autoscalingv2.HorizontalPodAutoscaler
	err := admin.Get(w.t.Context(), key, &a)
	var s kedav1alpha1.ScaledObject
	missing := admin.Get(w.t.Context(), key, &s)
	switch {
	case client.IgnoreNotFound(err) != nil || client.IgnoreNotFound(missing) != nil:
		return errors.Join(err, missing)
	case (missing == nil) != (by == byKeda):
		return fmt.Errorf("the ScaledObject %s is there: %t", name, missing == nil)
	case (err == nil) != (by != byNone):
		return fmt.Errorf("the autoscaler %s is there: %t", name, err == nil)
	case by == byKeda && !kedav1alpha1.IsTaken(&a), by == byHPA && (kedav1alpha1.IsTaken(&a) || kedav1alpha1.IsLeft(&a)):
		return fmt.Errorf("the autoscaler %s has the owners %v and the annotations %v", name, a.OwnerReferences, a.Annotations)
	default:
		return nil
	}
}

// switches are all steps from one scaler to another.
var switches = []scaler{byKeda, byHPA, byNone, byKeda, byNone, byHPA}

// TestAutoscalerSwitches changes who scales under a running canary. There are never two
// that act, none only where none is asked for, and never fewer pods than the floor. "make
// soak NAME=autoscalerSwitches" changes it 50 times.
func TestAutoscalerSwitches(t *testing.T) {
	t.Parallel()
	times := soak.Pick("autoscalerSwitches", 50, len(switches)/2)
	w := newWorld(t)
	w.withKeda()
	w.applyHandler(w.canaryAtHalf("v1").Obj())
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	w.applyHandler(w.canaryAtHalf("v2").Obj())
	w.awaitPhase("users", "v1 50 v2 50", v1.RolloutProgressing)
	w.isScaledBy(byHPA)
	r, from := w.newReferee(), byHPA
	for i := range times {
		to := switches[i%len(switches)]
		r.expectAutoscaler(from != byNone && to != byNone)
		w.changeHandler("users", scaledBy(to))
		w.isScaledBy(to)
		t.Logf("%d: %s → %s", i+1, from, to)
		from = to
	}
	r.assertNoFaults(t)
	w.awaitStory("users", "Stalled=False")
}

// TestAnAutoscalersNumberStays lets a scaler other than Gati set the number of pods again
// and again: Gati writes no Deployment meanwhile. "make soak NAME=anAutoscalersNumberStays"
// does so for ten minutes.
func TestAnAutoscalersNumberStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.canaryAtHalf("v1").Obj())
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	name := "handler-users--v1"
	before := w.readDeployment(name)
	applied := before.Annotations[v1.AnnotationApplied]
	// A busy machine may have seen the autoscaler act by now.
	isGivenUp := ownership.FindOther(before.ManagedFields, "replicas", "kube-controller-manager") == ""
	w.eventually("a write of the scaler that loses no race", func() error { return w.scaleDeployment(name, 5) })
	w.eventually("an apply that gives the replicas up", func() error {
		d := w.readDeployment(name)
		if !isGivenUp && d.Annotations[v1.AnnotationApplied] == applied {
			return fmt.Errorf("nothing was applied: %d replicas, managed by %s", *d.Spec.Replicas, d.ManagedFields)
		}
		if owner := ownership.FindOther(d.ManagedFields, "replicas", "kube-controller-manager"); owner != "" {
			return errors.New(owner + " owns the replicas")
		}
		return nil
	})
	since := time.Now()
	count := w.scaleAgainAndAgain(name)
	w.awaitStory("users", "Ready=True")
	writes := w.deploymentWrites(since)
	if len(writes) > 0 {
		t.Errorf("%d writes of Gati to the Deployment, want none: %v", len(writes), writes)
	}
	t.Logf("%d writes of a scaler in %s, %d of Gati", count, time.Since(since).Round(time.Second), len(writes))
}

// scaleAgainAndAgain sets other numbers of pods until the test has seen enough, and returns
// how many it has set.
func (w *world) scaleAgainAndAgain(name string) int {
	w.t.Helper()
	least, until := 40, time.Now()
	if soak.IsLong("anAutoscalersNumberStays") {
		until = until.Add(10 * time.Minute)
	}
	pace := time.NewTicker(50 * time.Millisecond)
	defer pace.Stop()
	count := 0
	for count < least || time.Now().Before(until) {
		<-pace.C
		switch err := w.scaleDeployment(name, 4+int32(count%5)); {
		case err == nil:
			count++
		case !apierrors.IsConflict(err):
			w.t.Fatal(err)
		}
	}
	return count
}

// scaleDeployment sets the number of pods as an autoscaler does.
func (w *world) scaleDeployment(name string, n int32) error {
	w.t.Helper()
	d := w.readDeployment(name)
	return admin.SubResource("scale").Update(w.t.Context(), d, client.WithSubResourceBody(&autoscalingv1.Scale{
		ObjectMeta: d.ObjectMeta, Spec: autoscalingv1.ScaleSpec{Replicas: n},
	}), client.FieldOwner("kube-controller-manager"))
}

// makeIdlingHandler returns a handler that KEDA scales, and whose versions without callers may idle.
func (w *world) makeIdlingHandler(version string) *builders.Handler {
	return w.canaryAtHalf(version).Spec(func(s *v1.GatiHandlerSpec) {
		s.Rollout.Steps = []v1.RolloutStep{{Weight: 100}}
		s.Rollout.RollbackWindow = "1s"
		s.Autoscaling.Keda = &v1.Keda{ScaleToZero: ptr(true), Cron: []v1.KedaCron{{Timezone: "Etc/UTC", Start: "0 8 * * *", End: "0 18 * * *", Replicas: 5}}}
	})
}

// TestAVersionWithoutCallersIdles lets KEDA take the last pod of a version that only its
// header reaches. A rollback gives it pods first and weight then.
func TestAVersionWithoutCallersIdles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.withKeda()
	w.applyHandler(w.makeIdlingHandler("v1").Obj())
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	w.awaitMinReplicas("handler-users--v1", 3)
	w.applyHandler(w.makeIdlingHandler("v2").Obj())
	w.awaitPhase("users", "v1 0 v2 100", v1.RolloutStable)
	w.awaitMinReplicas("handler-users--v1", 0)
	w.awaitMinReplicas("handler-users--v2", 3)

	w.eventually("a write of the scaler that loses no race", func() error { return w.scaleDeployment("handler-users--v1", 0) })
	w.eventually("no pod of v1", func() error {
		if n := w.readDeployment("handler-users--v1").Status.Replicas; n > 0 {
			return fmt.Errorf("%d pods", n)
		}
		return nil
	})
	w.awaitStory("users", "Ready=True", "Stalled=False")

	w.requestAsAdmin("users", "rollback:v1")
	w.awaitPhase("users", "v1 100 v2 0", v1.RolloutStable)
	if n := w.readDeployment("handler-users--v1").Status.ReadyReplicas; n < 3 {
		t.Errorf("v1 has all traffic and %d ready pods, want 3 or more", n)
	}
}

// awaitMinReplicas waits until KEDA may go down to a number of pods of a workload.
func (w *world) awaitMinReplicas(name string, n int32) {
	w.t.Helper()
	w.eventually(fmt.Sprintf("minReplicaCount %d of %s", n, name), func() error {
		var s kedav1alpha1.ScaledObject
		if err := admin.Get(w.t.Context(), client.ObjectKey{Namespace: w.ns, Name: name}, &s); err != nil {
			return err
		}
		if got := *s.Spec.MinReplicaCount; got != n {
			return fmt.Errorf("it is %d", got)
		}
		return nil
	}, func() string { return describeHandler(w.readHandler("users")) })
}

// deploymentWrites are what the controllers have written to Deployments of the namespace
// since a time.
func (w *world) deploymentWrites(since time.Time) []auditlog.Request {
	w.t.Helper()
	out, err := auditlog.Read(cluster.AuditLog, w.ns, func(r auditlog.Request) bool {
		return r.User.Username == auditlog.ControllersAccount && r.Object.Namespace == w.ns &&
			r.Object.Resource == "deployments" && r.Writes() && r.Received.After(since)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}
