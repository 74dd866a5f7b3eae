package gitops_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/gittest"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/gateway"
)

// world is the namespace of one test.
type world struct {
	t    *testing.T
	ns   string
	bare *gittest.Bare
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, ns: "g-" + rand.String(8), bare: gittest.Open(t, folder)}
	gateways.Set(w.ns, gateway.Behavior{})
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.ns}}
	if err := admin.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Intercept(nil)
		flux.Pause(false)
	})
	return w
}

// makeHandler returns a canary with short steps.
func (w *world) makeHandler(version string) *v1.GatiHandler {
	return builders.MakeHandler("users").Namespace(w.ns).Image("app:"+version).Replicas(2).Path("/users").Gateway(w.ns).
		Strategy(v1.StrategyCanary).Step(10, "1s").Step(50, "1s").Step(100, "").Spec(func(s *v1.GatiHandlerSpec) {
		s.Rollout.RollbackWindow = "2s"
		s.Versions = &v1.VersionPolicy{MinAge: "1s", Drain: &v1.Drain{Window: "1s", Deadline: "2s"}}
	}).Obj()
}

// applyHandler stores a handler, or changes the spec of the stored one.
func (w *world) applyHandler(h *v1.GatiHandler) {
	w.t.Helper()
	await.Eventually(w.t, "apply of a handler", func() error {
		live := &v1.GatiHandler{}
		err := admin.Get(w.t.Context(), client.ObjectKeyFromObject(h), live)
		if client.IgnoreNotFound(err) != nil {
			return err
		}
		if err != nil {
			return admin.Create(w.t.Context(), h.DeepCopy())
		}
		live.Spec = h.Spec
		return admin.Update(w.t.Context(), live)
	})
}

func (w *world) readHandler() *v1.GatiHandler {
	w.t.Helper()
	var h v1.GatiHandler
	if err := admin.Get(w.t.Context(), client.ObjectKey{Namespace: w.ns, Name: "users"}, &h); err != nil {
		w.t.Fatal(err)
	}
	return &h
}

// awaitCondition waits for a condition with a reason and a part of its message.
func (w *world) awaitCondition(kind string, reason v1.ConditionReason, text string) {
	w.t.Helper()
	await.Eventually(w.t, fmt.Sprintf("%s %s: %q", kind, reason, text), func() error {
		c := apimeta.FindStatusCondition(w.readHandler().Status.Conditions, kind)
		if c == nil || c.Status != metav1.ConditionTrue || c.Reason != string(reason) || !strings.Contains(c.Message, text) {
			return fmt.Errorf("%+v", w.readHandler().Status.Conditions)
		}
		return nil
	}, flux.Status, w.describeCommits)
}

// awaitServing waits until a version has all traffic and nothing is pending.
func (w *world) awaitServing(version string) {
	w.t.Helper()
	await.Eventually(w.t, version+" serves", func() error {
		h := w.readHandler()
		ready := apimeta.IsStatusConditionTrue(h.Status.Conditions, v1.ConditionReady)
		if len(h.Status.Versions) == 0 || !ready || h.Status.ObservedGeneration != h.Generation || h.Status.Rollout == nil || h.Status.Rollout.Stable == nil || h.Status.Rollout.Stable.Version != version {
			return fmt.Errorf("%+v", h.Status.Conditions)
		}
		return nil
	}, flux.Status, w.describeCommits)
}

// awaitSettled waits until the first version serves by its own Service, the last change of a
// first deployment, and the cluster shows it.
func (w *world) awaitSettled() {
	w.t.Helper()
	w.awaitServing("v1")
	await.Eventually(w.t, "the route to name the Service of v1", func() error {
		if file := w.bare.Git("show", "main:clusters/prod/"+w.ns+"/handler-users/httproute-handler-users.yaml"); !strings.Contains(file, "name: handler-users--v1\n") {
			return errors.New(file)
		}
		// The status may not know of that commit yet.
		var route gatewayv1.HTTPRoute
		if err := admin.Get(w.t.Context(), client.ObjectKey{Namespace: w.ns, Name: "handler-users"}, &route); err != nil {
			return err
		}
		if live := route.Spec.Rules[0].BackendRefs[0].Name; live != "handler-users--v1" {
			return fmt.Errorf("the route in the cluster names %s", live)
		}
		return nil
	}, flux.Status)
	w.awaitServing("v1")
}

func (w *world) readDeployment(name string) *appsv1.Deployment {
	w.t.Helper()
	var d appsv1.Deployment
	if err := admin.Get(w.t.Context(), client.ObjectKey{Namespace: w.ns, Name: name}, &d); err != nil {
		w.t.Fatal(err)
	}
	return &d
}

// listCommits returns the subjects of the commits of the handler, the oldest first.
func (w *world) listCommits() []string {
	var out []string
	for _, line := range w.bare.Log("main") {
		if strings.Contains(line, w.ns+"/users") {
			out = append(out, line)
		}
	}
	return out
}

// readPlanHash returns the hash of the folder of the handler.
func (w *world) readPlanHash() string {
	return strings.TrimSpace(w.bare.Git("rev-parse", "main:clusters/prod/"+w.ns+"/handler-users"))
}

func (w *world) describeCommits() string { return "commits:\n" + strings.Join(w.listCommits(), "\n") }

// isGone waits until nothing of the handler is left, in the cluster and the repository.
func (w *world) isGone() {
	w.t.Helper()
	await.Eventually(w.t, "the handler and its children to go", func() error {
		var left appsv1.DeploymentList
		if err := admin.List(w.t.Context(), &left, client.InNamespace(w.ns)); err != nil || len(left.Items) > 0 {
			return errors.Join(err, fmt.Errorf("%d Deployments", len(left.Items)))
		}
		err := admin.Get(w.t.Context(), client.ObjectKey{Namespace: w.ns, Name: "users"}, &v1.GatiHandler{})
		if err == nil {
			return errors.New("the handler is there")
		}
		if files := w.bare.Git("ls-tree", "-r", "--name-only", "main", "clusters/prod/"+w.ns); files != "" {
			return errors.New(files)
		}
		return client.IgnoreNotFound(err)
	}, flux.Status, w.describeCommits)
}

// deleteHandler deletes the handler.
func (w *world) deleteHandler() {
	w.t.Helper()
	if err := admin.Delete(context.Background(), w.readHandler()); err != nil {
		w.t.Fatal(err)
	}
}
