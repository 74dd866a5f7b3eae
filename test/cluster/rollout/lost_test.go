package rollout_test

import (
	"errors"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/kube"
)

// TestALostRevision deletes the template of a version. One that only drains needs it no more:
// the handler stays healthy, and the drain ends as if it were there. That of the declared version
// is made again. Another one that serves keeps its pods, and the handler says what to do.
func TestALostRevision(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.makeLongCanary("v1").Obj())
	w.awaitPhase("users", "v1 100", v1.RolloutStable)
	w.applyHandler(w.makeLongCanary("v2").Step(100, "").Obj())
	w.requestAsAdmin("users", "promote:full")
	w.awaitPhase("users", "v1 0 v2 100", v1.RolloutStable)

	w.deleteRevision("v1")
	h := w.resettle(5)
	if v := kube.VersionStatus(h, "v1"); v == nil || v.Phase != v1.VersionDraining {
		t.Errorf("v1 drains no more:\n%s", describeHandler(h))
	}
	w.changeHandler("users", func(h *v1.GatiHandler) { h.Spec.Rollout.RollbackWindow, h.Spec.Versions.Drain.Deadline = "1s", "1s" })
	w.awaitPhase("users", "v2 100", v1.RolloutStable)
	w.awaitStory("users", "Ready=True")

	w.deleteRevision("v2")
	w.resettle(6)
	w.applyHandler(w.makeLongCanary("v3").Replicas(6).Obj())
	w.awaitPhase("users", "v2 90 v3 10", v1.RolloutProgressing)
	w.deleteRevision("v2")
	w.awaitStory("users", "Stalled=True", "which holds the template of v2, is gone; Deployment handler-users--v2 stays as it is until v2 is applied again")
	if h := w.readHandler("users"); acceptedWeights(h) != "v2 90 v3 10" || *w.readDeployment("handler-users--v2").Spec.Replicas != 6 {
		t.Errorf("v2 has lost pods or traffic:\n%s", describeHandler(h))
	}
}

// deleteRevision deletes the revision of a version.
func (w *world) deleteRevision(version string) {
	w.t.Helper()
	name := kube.VersionStatus(w.readHandler("users"), version).Revision
	if err := admin.Delete(w.t.Context(), &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: name}}); err != nil {
		w.t.Fatal(err)
	}
}

// resettle asks for another number of pods, and waits until the handler is healthy with them.
func (w *world) resettle(pods int32) *v1.GatiHandler {
	w.t.Helper()
	w.changeHandler("users", func(h *v1.GatiHandler) { h.Spec.Replicas = &pods })
	w.eventually("a healthy handler with other pods", func() error {
		h := w.readHandler("users")
		if h.Status.ReadyReplicas != pods {
			return errors.New(describeHandler(h))
		}
		return nil
	})
	return w.awaitStory("users", "Ready=True")
}
