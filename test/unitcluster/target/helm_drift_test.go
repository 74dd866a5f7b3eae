package target

import (
	"context"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/release/common"
	appsv1 "k8s.io/api/apps/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/target/helm"
	"gati.dev/gati/pkg/target/kubernetes"
	"gati.dev/gati/test/support/peers"
)

// What a user does with the release is put back by an upgrade, and told.
func TestHelmPutsBackWhatUsersDo(t *testing.T) {
	peers.Need(t)
	w := newReleases(t, builders.MakeHandler("a").Image("app:v1").Replicas(2).Obj())
	w.applyUntilSettled()
	for _, obj := range w.plan {
		if d, ok := obj.(*appsv1.Deployment); ok {
			d.Spec.Template.Spec.Containers[0].Image = "app:v2"
		}
	}
	w.applyUntilSettled()
	image := func() string {
		containers, _, _ := unstructured.NestedSlice(w.readObject(findPlanned[*appsv1.Deployment](w.world)).Object, "spec", "template", "spec", "containers")
		return containers[0].(map[string]any)["image"].(string)
	}
	put := func(what, reason string) {
		t.Helper()
		before := w.assertNewestDeployed().Version
		out := w.applyUntilSettled()
		if image() != "app:v2" {
			t.Errorf("after %s the image is %s", what, image())
		}
		if len(out.Notices) != 1 || out.Notices[0].Reason != reason || !out.Notices[0].Warning {
			t.Errorf("after %s: notices %+v, want %s", what, out.Notices, reason)
		}
		if now := w.assertNewestDeployed().Version; now == before && reason != "ReleaseUninstalled" {
			t.Errorf("after %s revision %d is deployed as before", what, now)
		}
	}

	w.runHelm("rollback", "handler-a", "1")
	if image() != "app:v1" {
		t.Fatalf("helm rollback left the image %s", image())
	}
	put("helm rollback", "ReleaseRolledBack")

	for _, keep := range []string{"--keep-history=false", "--keep-history"} {
		w.runHelm("uninstall", "handler-a", keep)
		var left appsv1.DeploymentList
		w.must(w.admin.List(w.context, &left, client.InNamespace(w.owner.GetNamespace())))
		if len(left.Items) > 0 {
			t.Fatalf("helm uninstall left %d Deployments", len(left.Items))
		}
		out := w.applyUntilSettled()
		if len(out.Notices) != 1 || out.Notices[0].Reason != "ReleaseUninstalled" || image() != "app:v2" {
			t.Errorf("after helm uninstall %s: %+v, image %s", keep, out.Notices, image())
		}
		w.assertNewestDeployed()
	}

	w.runHelm("upgrade", "handler-a", chartFolder(t, w.assertNewestDeployed()), "--reuse-values", "--set", "workloads.main.image=app:mine")
	if image() != "app:mine" {
		t.Fatalf("helm upgrade left the image %s", image())
	}
	put("helm upgrade", "ReleaseChanged")
}

// A rollback that is seen while Helm is still at it is told and put back all the same.
func TestHelmTellsARollbackThatIsUnderWay(t *testing.T) {
	peers.Need(t)
	w := newReleases(t, builders.MakeHandler("a").Image("app:v1").Replicas(2).Obj())
	w.applyUntilSettled()
	for _, obj := range w.plan {
		if d, ok := obj.(*appsv1.Deployment); ok {
			d.Spec.Template.Spec.Containers[0].Image = "app:v2"
		}
	}
	w.applyUntilSettled()
	w.runHelm("rollback", "handler-a", "1")
	releases := w.newStorage()
	last := w.assertNewestDeployed()
	last.SetStatus(common.StatusPendingRollback, "still at it")
	last.Info.LastDeployed = w.clock.Now()
	w.must(releases.Update(last))

	out, err := w.applyPlan()
	w.must(err)
	if problem := firstProblem(out); problem == nil || !strings.Contains(problem.Error(), "pending-rollback by another operation") || out.Again == 0 {
		t.Errorf("problem %v, again after %s", problem, out.Again)
	}
	if out, err = w.applyPlan(); err != nil || firstProblem(out) == nil {
		t.Errorf("while it waits: problem %v, %v", firstProblem(out), err)
	}
	last.SetStatus(common.StatusDeployed, "Rollback to 1")
	w.must(releases.Update(last))
	if all := w.applyUntilSettled(); len(all.Notices) != 1 || all.Notices[0].Reason != "ReleaseRolledBack" {
		t.Errorf("notices %+v", all.Notices)
	}
	if now := w.assertNewestDeployed(); now.Version != last.Version+1 {
		t.Errorf("revision %d is deployed, after %d", now.Version, last.Version)
	}
}

// lagging is a cache that shows disruption budgets as they once were.
type lagging struct {
	client.Client
	shown policyv1.PodDisruptionBudgetList
}

// List implements client.Reader.
func (l *lagging) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if budgets, ok := list.(*policyv1.PodDisruptionBudgetList); ok {
		l.shown.DeepCopyInto(budgets)
		return nil
	}
	return l.Client.List(ctx, list, opts...)
}

// What the cache still shows after it was pruned is no drift: no revision is made for it.
func TestHelmTakesNoLagForDrift(t *testing.T) {
	w := newReleases(t, builders.MakeHandler("a").Image("app:v1").Replicas(2).Obj())
	w.applyUntilSettled()
	lag := &lagging{Client: w.ours}
	w.must(w.admin.List(w.context, &lag.shown, client.InNamespace(w.owner.GetNamespace())))
	w.plan = slices.DeleteFunc(w.plan, func(obj client.Object) bool { _, isBudget := obj.(*policyv1.PodDisruptionBudget); return isBudget })
	if len(lag.shown.Items) != 1 {
		t.Fatalf("%d disruption budgets", len(lag.shown.Items))
	}
	objects := kubernetes.New(lag, w.ours, w.clock, func() []client.ObjectList { return kubernetes.Removable(true, false) })
	var err error
	w.helm, err = helm.New(objects, w.config, w.clock)
	w.must(err)
	for range 3 {
		_, err := w.applyPlan()
		w.must(err)
	}
	if now := w.assertNewestDeployed(); now.Version != 2 {
		t.Errorf("revision %d is deployed, want 2", now.Version)
	}
	var left policyv1.PodDisruptionBudgetList
	w.must(w.admin.List(w.context, &left, client.InNamespace(w.owner.GetNamespace())))
	if len(left.Items) > 0 {
		t.Errorf("%d disruption budgets are left", len(left.Items))
	}
}
