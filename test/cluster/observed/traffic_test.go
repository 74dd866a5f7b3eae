package observed

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/gateway"
	"gati.dev/gati/test/support/kube"
	"gati.dev/gati/test/support/terminal"
)

// world is the namespace of one test with a gateway to itself.
type world struct {
	t           *testing.T
	ns, gateway string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, ns: "e-" + rand.String(8)}
	w.gateway = "gw-" + w.ns
	gateways.Set(w.gateway, gateway.Behavior{})
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.ns}}
	if err := admin.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Discard(t, admin, w.ns) })
	return w
}

// makeUsersHandler returns a handler whose canary is judged, and whose old version drains by what is
// measured: no deadline comes in the time of a test.
func (w *world) makeUsersHandler(version string) *v1.GatiHandler {
	detect := int32(20) // A few seconds of the traffic of these tests show such a fault.
	return builders.MakeHandler("users").Namespace(w.ns).Image("app:"+version).Replicas(2).Path("/users").Gateway(w.gateway).
		Strategy(v1.StrategyCanary).Step(50, "3s").Step(100, "").Spec(func(s *v1.GatiHandlerSpec) {
		s.Rollout.RollbackWindow = "1s"
		s.Rollout.Analysis = &v1.Analysis{
			Interval: "1s", Detect: &detect,
			Metrics: []v1.AnalysisMetric{{SuccessRate: &v1.SuccessRate{Min: "99"}}},
		}
		s.Versions = &v1.VersionPolicy{MinAge: "1s", Drain: &v1.Drain{Window: "5s", Deadline: "1d"}}
	}).Obj()
}

func (w *world) applyHandler(h *v1.GatiHandler) {
	w.t.Helper()
	applyHandler(w.t, h.DeepCopy())
}

func (w *world) readHandler() *v1.GatiHandler {
	w.t.Helper()
	h := &v1.GatiHandler{}
	if err := admin.Get(w.t.Context(), client.ObjectKey{Namespace: w.ns, Name: "users"}, h); err != nil {
		w.t.Fatal(err)
	}
	return h
}

// awaitHandler waits until a check of the handler finds nothing wrong, and returns it.
func (w *world) awaitHandler(what string, check func(*v1.GatiHandler) error) *v1.GatiHandler {
	w.t.Helper()
	var h *v1.GatiHandler
	await.Eventually(w.t, what, func() error {
		h = w.readHandler()
		return check(h)
	}, func() string {
		status, _ := json.Marshal(h.Status)
		return string(status)
	})
	return h
}

// awaitSettled waits until a version has all traffic.
func (w *world) awaitSettled(version string) *v1.GatiHandler {
	w.t.Helper()
	return w.awaitHandler(version+" has all traffic", func(h *v1.GatiHandler) error {
		ro := h.Status.Rollout
		if ro == nil || ro.Phase != v1.RolloutStable || ro.Stable == nil || ro.Stable.Version != version {
			return fmt.Errorf("%+v", ro)
		}
		return nil
	})
}

// versionOf returns the status of a version, an empty one where it has none.
func versionOf(h *v1.GatiHandler, version string) v1.VersionStatus {
	if v := kube.VersionStatus(h, version); v != nil {
		return *v
	}
	return v1.VersionStatus{}
}

func (w *world) hasDeployment(workload string) bool {
	w.t.Helper()
	err := admin.Get(w.t.Context(), client.ObjectKey{Namespace: w.ns, Name: "handler-users--" + workload}, &appsv1.Deployment{})
	if client.IgnoreNotFound(err) != nil {
		w.t.Fatal(err)
	}
	return err == nil
}

// TestFailuresRollBack holds that a version whose requests fail is taken back, with
// the value, the threshold and the counts of both versions, and is not tried again.
func TestFailuresRollBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.makeUsersHandler("v1"))
	w.awaitSettled("v1")
	source.setTraffic(w.ns, "v1", traffic{requests: 400})
	source.setTraffic(w.ns, "v2", traffic{requests: 400})
	next := w.makeUsersHandler("v2")
	next.Spec.Rollout.Steps = []v1.RolloutStep{{Weight: 50, Pause: "1h"}}
	w.applyHandler(next)
	w.awaitHandler("v2 is compared with v1", func(h *v1.GatiHandler) error {
		if ro := h.Status.Rollout; ro == nil || len(ro.Analysis) != 1 || ro.Analysis[0].Counted == nil || ro.Analysis[0].Counted.Stable == nil {
			return fmt.Errorf("%+v", ro)
		}
		return nil
	})
	source.setTraffic(w.ns, "v2", traffic{requests: 400, errors: 40})
	h := w.awaitHandler("v2 is taken back", func(h *v1.GatiHandler) error {
		ro := h.Status.Rollout
		if ro == nil || len(ro.Rejected) == 0 || ro.Phase != v1.RolloutStable || ro.Stable.Version != "v1" {
			return fmt.Errorf("%+v", ro)
		}
		return nil
	})
	for _, part := range []string{"its success rate is ", "required: at least 99 %", "requests bad, of the stable version 0 of", "against a healthy version"} {
		if why := h.Status.Rollout.Rejected[0].Reason; !strings.Contains(why, part) {
			t.Errorf("%q is not in the reason %q", part, why)
		}
	}
	if m := h.Status.Rollout.Analysis; len(m) != 1 || m[0].Verdict != v1.AnalysisFail || m[0].Counted == nil || m[0].Counted.RejectedAt == nil {
		t.Errorf("the verdict in the status is %+v", m)
	}
}

// TestTooFewRequestsJudgeNothing holds that a version without traffic waits for it,
// and goes on once it has some.
func TestTooFewRequestsJudgeNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.makeUsersHandler("v1"))
	w.awaitSettled("v1")
	source.setTraffic(w.ns, "v2", traffic{requests: 2})
	w.applyHandler(w.makeUsersHandler("v2"))
	w.awaitHandler("it waits for requests", func(h *v1.GatiHandler) error {
		ro := h.Status.Rollout
		if m := ro.Analysis; len(m) != 1 || m[0].Verdict != v1.AnalysisInconclusive || m[0].Samples == 0 || m[0].Counted.Missing == 0 {
			return fmt.Errorf("%+v", m)
		}
		if ro.WaitingFor == nil || ro.WaitingFor.Reason != v1.WaitingForAnalysis || !strings.Contains(ro.WaitingFor.Message, "passes after") {
			return fmt.Errorf("%+v", ro.WaitingFor)
		}
		return nil
	})
	source.setTraffic(w.ns, "v2", traffic{requests: 400})
	w.awaitSettled("v2")
}

// TestTrafficKeepsAndZeroDrains holds that a version stays as long as it is called or
// nothing is known, and goes when its traffic was measured to be zero for the window.
func TestTrafficKeepsAndZeroDrains(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.applyHandler(w.makeUsersHandler("v1"))
	w.awaitSettled("v1")
	source.setTraffic(w.ns, "v1", traffic{requests: 3})
	source.setTraffic(w.ns, "v2", traffic{requests: 400})
	w.applyHandler(w.makeUsersHandler("v2"))
	w.awaitSettled("v2")
	w.awaitHandler("v1 is still called", func(h *v1.GatiHandler) error {
		e := versionOf(h, "v1").Evidence
		if e == nil || e.State != v1.EvidenceBusy || e.LastRequest == nil || versionOf(h, "v1").DrainingSince == nil {
			return fmt.Errorf("%+v", e)
		}
		return nil
	})
	source.setTraffic(w.ns, "v1", traffic{silent: true})
	h := w.awaitHandler("nothing is known of v1", func(h *v1.GatiHandler) error {
		c := meta.FindStatusCondition(h.Status.Conditions, v1.ConditionMeasured)
		if c == nil || c.Status != metav1.ConditionFalse || c.Reason != "SourceSilent" || !strings.Contains(c.Message, "v1: prometheus has no metrics of pod") {
			return fmt.Errorf("%+v", h.Status.Conditions)
		}
		return nil
	})
	silentFor := 3 * 5 * time.Second
	time.Sleep(silentFor) // three windows
	if !w.hasDeployment("v1") {
		t.Fatalf("v1 is gone after %s of silence", silentFor)
	}
	if e := versionOf(h, "v1").Evidence; e.ZeroSince != nil {
		t.Errorf("silence counts as zero since %s", e.ZeroSince)
	}
	called := versionOf(h, "v1").Evidence.LastRequest.Time
	source.setTraffic(w.ns, "v1", traffic{})
	h = w.awaitHandler("v1 is decommissioned", func(h *v1.GatiHandler) error {
		if v := versionOf(h, "v1"); v.Phase != v1.VersionDecommissioned {
			return fmt.Errorf("%+v", v)
		}
		return nil
	})
	for _, e := range h.Status.Rollout.History {
		if e.What == "Decommissioned" && e.At.Sub(called) < 5*time.Second {
			t.Errorf("v1 went %s after its last request, the window is 5s", e.At.Sub(called))
		}
	}
	w.awaitHandler("its Deployment goes", func(*v1.GatiHandler) error {
		if w.hasDeployment("v1") {
			return errors.New("it is there")
		}
		return nil
	})
}

// TestALeaderThatDiesLosesNoWindow holds that evidence is persisted: a version that
// drains under one process goes under the next, and not before its window is over.
func TestALeaderThatDiesLosesNoWindow(t *testing.T) {
	w := newWorld(t)
	long := func(version string) *v1.GatiHandler {
		h := w.makeUsersHandler(version)
		h.Spec.Versions.Drain.Window = "10s"
		return h
	}
	w.applyHandler(long("v1"))
	w.awaitSettled("v1")
	source.setTraffic(w.ns, "v2", traffic{requests: 400})
	w.applyHandler(long("v2"))
	w.awaitSettled("v2")
	h := w.awaitHandler("v1 is measured to be zero", func(h *v1.GatiHandler) error {
		v := versionOf(h, "v1")
		if v.Evidence == nil || v.Evidence.ZeroSince == nil || v.DrainingSince == nil {
			return fmt.Errorf("%+v", v)
		}
		return nil
	})
	since := versionOf(h, "v1").Evidence.ZeroSince.Time
	if err := webhook.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := webhook.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.awaitHandler("v1 is decommissioned", func(h *v1.GatiHandler) error {
		v := versionOf(h, "v1")
		if v.Phase == v1.VersionDecommissioned {
			return nil
		}
		return fmt.Errorf("%+v", v.Evidence)
	})
	for _, e := range w.readHandler().Status.Rollout.History {
		if e.What == "Decommissioned" && e.At.Sub(since) < 10*time.Second {
			t.Errorf("v1 went %s after its last request, the window is 10s", e.At.Sub(since))
		}
	}
}
