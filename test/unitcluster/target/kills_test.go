package target

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/pkg/target"
	"gati.dev/gati/pkg/target/kubernetes"
)

// maxWrites is more than an installation and a change take.
const maxWrites = 60

// killAtEachWrite plays a story once for each of its writes: the process dies before that
// write is sent, or before it hears the answer. play returns the wire of its world and
// what to do when the process is dead. A short form chooses some of the writes.
func killAtEachWrite(t *testing.T, chosen func() bool, play func(t *testing.T) (wire *counter, run func() error, resume func())) {
	t.Helper()
	for _, isUnheard := range []bool{false, true} {
		kills := 0
		for isOver := false; !isOver; kills++ {
			if kills > maxWrites {
				t.Fatalf("an installation and a change take more than %d writes", maxWrites)
			}
			if !chosen() {
				continue
			}
			t.Run(fmt.Sprintf("write %d, answered unheard: %t", kills+1, isUnheard), func(t *testing.T) {
				wire, run, resume := play(t)
				left := kills
				wire.left, wire.isUnheard = &left, isUnheard
				err := run()
				isOver = left > 0 && err == nil
				wire.left, wire.isUnheard = nil, false
				resume()
			})
		}
		if kills < 5 {
			t.Errorf("%d writes, want those of every child", kills)
		}
	}
}

// TestKubernetesSurvivesAKillAtEachWrite installs a plan, changes it and prunes. After a
// kill at any write the next process leads to what an undisturbed one does. The short form
// kills at one write in three, "make soak NAME=kubernetesSurvivesAKillAtEachWrite" at each.
func TestKubernetesSurvivesAKillAtEachWrite(t *testing.T) {
	undisturbed := newMortal(t)
	undisturbed.must(undisturbed.applyPlans())
	undisturbed.applyUntilSettled()
	want := undisturbed.readChildren()
	chosen := soak.Share(t, "kubernetesSurvivesAKillAtEachWrite", 3)
	killAtEachWrite(t, chosen, func(t *testing.T) (*counter, func() error, func()) {
		w := newMortal(t)
		return w.wire, w.applyPlans, func() {
			w.restartTarget()
			w.applyUntilSettled()
			if diff := cmp.Diff(want, w.readChildren()); diff != "" {
				t.Errorf("the children (-undisturbed +killed):\n%s", diff)
			}
		}
	})
}

// mortal is a world whose process may die on the way from one plan to another.
type mortal struct {
	*world
	changed []client.Object
}

func newMortal(t *testing.T) *mortal {
	t.Helper()
	w := &mortal{world: newWorld(t, builders.MakeHandler("a").Image("app:v1").Replicas(3).Gateway("gw").Autoscale(2, 6).Obj(), kubernetes.Removable(true, false)...)}
	later := w.owner.DeepCopyObject().(*v1.GatiHandler)
	later.Spec.Image, later.Spec.Autoscaling = "app:v2", nil
	w.changed = w.expandPlan(later)
	if len(w.changed) >= len(w.plan) {
		t.Fatalf("%d objects after %d: none is pruned", len(w.changed), len(w.plan))
	}
	return w
}

// restartTarget gives the target the memory of a new process.
func (w *mortal) restartTarget() {
	w.target = kubernetes.New(w.ours, w.ours, w.clock, func() []client.ObjectList { return kubernetes.Removable(true, false) })
}

// applyPlans applies both plans, one after the other.
func (w *mortal) applyPlans() error {
	for _, plan := range [][]client.Object{w.plan, w.changed} {
		out, err := w.target.Apply(w.context, w.owner, target.Plan{Objects: plan})
		if err != nil {
			return err
		}
		if problem := firstProblem(out); problem != nil {
			return problem
		}
	}
	return nil
}

// applyUntilSettled applies the second plan until there is nothing left to do.
func (w *mortal) applyUntilSettled() {
	w.t.Helper()
	for range 10 {
		out, err := w.target.Apply(w.context, w.owner, target.Plan{Objects: w.changed})
		w.must(err)
		if len(out.Writes) == 0 && firstProblem(out) == nil {
			return
		}
		w.clock.SetTime(w.clock.Now().Add(time.Minute))
	}
	w.t.Fatal("it does not settle")
}

// readChildren returns all objects of the owner, by kind and name.
func (w *mortal) readChildren() map[string]any {
	w.t.Helper()
	out := map[string]any{}
	for _, kind := range kubernetes.Removable(true, false) {
		gvk, err := w.admin.GroupVersionKindFor(kind)
		w.must(err)
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(gvk)
		w.must(w.admin.List(w.context, list, client.InNamespace(w.owner.GetNamespace())))
		for i := range list.Items {
			obj := &list.Items[i]
			if len(obj.GetOwnerReferences()) > 0 && metav1.IsControlledBy(obj, w.owner) {
				out[obj.GetKind()+" "+obj.GetName()] = w.readContent(obj)
			}
		}
	}
	return out
}

// TestHelmSurvivesAKillAtEachWrite installs and upgrades a release. After a kill at any
// write the next process carries on, and leaves no revision that is under way. The short
// form kills at one write in three, "make soak NAME=helmSurvivesAKillAtEachWrite" at each.
func TestHelmSurvivesAKillAtEachWrite(t *testing.T) {
	chosen := soak.Share(t, "helmSurvivesAKillAtEachWrite", 3)
	killAtEachWrite(t, chosen, func(t *testing.T) (*counter, func() error, func()) {
		w := newReleases(t, builders.MakeHandler("a").Image("app:v1").Replicas(2).Obj())
		return w.wire, w.installAndUpgrade, func() {
			w.restartTarget()
			w.clock.SetTime(w.clock.Now().Add(time.Minute))
			w.applyUntilSettled()
			for _, obj := range w.plan {
				w.readObject(obj)
			}
			w.assertNewestDeployed()
		}
	})
}

// installAndUpgrade applies the plan, and once more with another image.
func (w *releases) installAndUpgrade() error {
	_, installed := w.applyPlan()
	at := slices.IndexFunc(w.plan, func(o client.Object) bool { _, ok := o.(*appsv1.Deployment); return ok })
	w.plan[at].(*appsv1.Deployment).Spec.Template.Spec.Containers[0].Image = "app:v2"
	w.clock.SetTime(w.clock.Now().Add(time.Minute))
	_, upgraded := w.applyPlan()
	if installed != nil {
		return installed
	}
	return upgraded
}
