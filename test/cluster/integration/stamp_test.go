package integration

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/test/support/await"
)

// The stamp is the plan at rest: it names the revision that the controller then cuts
// and the children that it makes, and the controller applies that very plan.
func TestStampIsThePlanThatIsApplied(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	h := builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Obj()
	createObject(t, h)
	first := stampOf(t, ns, h)
	readyHandler(t, ns, "a")
	if got := listRevisions(t, ns, "a")[0].Name; got != first.Revision() || first.Plan == "" {
		t.Errorf("the revision is %s, the stamp %+v", got, first)
	}
	for _, child := range strings.Split(first.Children, ",") {
		if err := checkContains(runKubectl(t, ns, "", "get", strings.ToLower(child), "-o", "name"), "/"); err != nil {
			t.Errorf("%s of the stamp is not there: %v", child, err)
		}
	}
	awaitAppliedPlan(t, ns, first.Plan)

	scaled := stampAfter(t, ns, func(h *v1.GatiHandler) { h.Spec.Replicas = new(int32(2)) })
	if scaled.Revision() != first.Revision() || scaled.Plan == first.Plan {
		t.Errorf("with other replicas the stamp is %+v, was %+v", scaled, first)
	}
	awaitAppliedPlan(t, ns, scaled.Plan)
	second := stampAfter(t, ns, func(h *v1.GatiHandler) { h.Spec.Image = "app:v2.0.0" })
	readyHandler(t, ns, "a")
	if got := listRevisions(t, ns, "a")[1].Name; got != second.Revision() || second.Revision() == first.Revision() {
		t.Errorf("with another image the revision is %s, the stamp %+v", got, second)
	}
	awaitAppliedPlan(t, ns, second.Plan)

	m := builders.MakeModule("m").Namespace(ns).ModuleName("m").Runtime("node:20").Image("m:v1.0.0").Obj()
	createObject(t, m)
	port := int32(8080)
	await.Eventually(t, "stamp of the module", func() error {
		if m = readObject[v1.GatiModule](t, ns, "m"); decide.StampOf(m).Plan != "" {
			return nil
		}
		changeObject(t, ns, "m", func(m *v1.GatiModule) { m.Spec.Port = &port })
		port++
		return errors.New("it has none")
	})
	if stamp := decide.StampOf(m); stamp.Plan == "" || !strings.Contains(stamp.Children, "Deployment/module-m") {
		t.Errorf("the stamp of a module is %+v", stamp)
	}
}

// awaitAppliedPlan waits until the admitted plan is the applied one.
func awaitAppliedPlan(t *testing.T, ns, plan string) {
	t.Helper()
	await.Eventually(t, "applied plan "+plan, func() error {
		h := readObject[v1.GatiHandler](t, ns, "a")
		if want := (v1.PlanStatus{Admitted: plan, Applied: plan}); h.Status.Plan == nil || *h.Status.Plan != want {
			return errors.New("status.plan is another")
		}
		return nil
	})
}

// "kubectl apply --dry-run=server -o yaml" of each sample shows the children it leads
// to.
func TestDryRunOfSamplesShowsChildren(t *testing.T) {
	t.Parallel()
	for _, name := range []string{sampleReadme, sampleSummary, sampleCRDs} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := makeNamespace(t)
			out := inVersion(t, name, ns, "v1").runKubectl(t, "apply", "--dry-run=server", "-o", "yaml")
			if err := checkContains(out, "gati.dev/children: ControllerRevision/handler-", ",Deployment/handler-", ",Service/handler-", "gati.dev/plan: "); err != nil {
				t.Error(err)
			}
		})
	}
}

// A namespace whose image changes after admission leads to another plan: the status has
// both, and one Event names the fact.
func TestChangedImageOfTheNamespaceShowsInThePlan(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t, v1.AnnotationImage, "shop:v1.0.0")
	h := builders.MakeHandler("a").Namespace(ns).Obj()
	createObject(t, h)
	stamp := stampOf(t, ns, h)
	readyHandler(t, ns, "a")
	awaitAppliedPlan(t, ns, stamp.Plan)
	changeObject(t, "", ns, func(n *corev1.Namespace) { n.Annotations[v1.AnnotationImage] = "shop:v2.0.0" })
	await.Eventually(t, "status.plan that differs", func() error {
		p := readObject[v1.GatiHandler](t, ns, "a").Status.Plan
		if p == nil || p.Admitted != stamp.Plan || p.Applied == stamp.Plan || p.Applied == "" {
			return errors.New("it does not differ yet")
		}
		return nil
	})
	const said = "the image of namespace"
	var notes []string
	await.Eventually(t, "Event", func() error {
		notes = nil
		for _, e := range listObjects[eventsv1.Event, eventsv1.EventList](t, ns) {
			if e.Reason == "PlanChanged" {
				notes = append(notes, e.Note)
			}
		}
		if len(notes) == 0 {
			return errors.New("there is none")
		}
		return nil
	})
	if len(notes) != 1 || !strings.Contains(notes[0], said+" "+ns+" is now shop:v2.0.0") {
		t.Errorf("Events %q", notes)
	}
	// Applied again, admission sees the new image.
	awaitAppliedPlan(t, ns, stampAfter(t, ns, func(h *v1.GatiHandler) { h.Spec.Replicas = new(int32(2)) }).Plan)
}

// stampOf returns the stamp of handler a, which was created as h. The API server writes
// an object without one where the hook does not answer in time.
func stampOf(t *testing.T, ns string, h *v1.GatiHandler) decide.Stamp {
	t.Helper()
	if stamp := decide.StampOf(h); stamp.Plan != "" {
		return stamp
	}
	return stampAfter(t, ns, func(*v1.GatiHandler) {})
}

// stampAfter changes handler a, and once more in a field that leads to no other plan
// while the hook does not answer in time.
func stampAfter(t *testing.T, ns string, edit func(*v1.GatiHandler)) (stamp decide.Stamp) {
	t.Helper()
	before, tries := decide.StampOf(readObject[v1.GatiHandler](t, ns, "a")), 0
	await.Eventually(t, "stamp of the change", func() error {
		changeObject(t, ns, "a", func(h *v1.GatiHandler) {
			edit(h)
			if tries > 0 {
				h.Spec.Versions = &v1.VersionPolicy{ColdAfter: v1.Duration(fmt.Sprintf("%dh", tries))}
			}
		})
		tries++
		if stamp = decide.StampOf(readObject[v1.GatiHandler](t, ns, "a")); stamp == before {
			return errors.New("the stamp is that of before")
		}
		return nil
	})
	return stamp
}
