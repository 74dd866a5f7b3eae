package integration

import (
	"context"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/keda"
)

// TestKedaIsInstalledLater asks for KEDA on a cluster without it: the dry run is refused,
// the status names the remedy, and pods and autoscaler stay. Once KEDA's API is there, its
// ScaledObjects follow without a change of the spec.
func TestKedaIsInstalledLater(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	createObject(t, builders.MakeHandler("scaled").Namespace(ns).Image("app:v1.0.0").Replicas(3).Autoscale(3, 6).Obj())
	createObject(t, builders.MakeHandler("fresh").Namespace(ns).Image("app:v1.0.0").Replicas(2).Obj())
	createObject(t, builders.MakeModule("db").Namespace(ns).Type(v1.ModuleNode).Image("db:v1.0.0").Replicas(2).Obj())
	readyHandler(t, ns, "scaled")
	readyHandler(t, ns, "fresh")
	readyModule(t, ns, "db")

	checkRefused(t, func() error {
		asked := readObject[v1.GatiHandler](t, ns, "fresh")
		asked.Spec.Autoscaling = byKeda()
		return admin.Update(t.Context(), asked, client.DryRunAll)
	}, "spec.autoscaling.keda", "this cluster does not serve a ScaledObject")

	const remedy = "spec.autoscaling.keda asks for a ScaledObject, which this cluster does not serve; install KEDA or remove spec.autoscaling.keda"
	for _, name := range []string{"scaled", "fresh"} {
		changeObject(t, ns, name, func(h *v1.GatiHandler) { h.Spec.Autoscaling = byKeda() })
		h := stalledHandler(t, ns, name, remedy)
		if got := meta.FindStatusCondition(h.Status.Conditions, v1.ConditionStalled).Reason; got != string(v1.ReasonNotServed) {
			t.Errorf("%s is Stalled for the reason %s", name, got)
		}
	}
	changeObject(t, ns, "db", func(m *v1.GatiModule) { m.Spec.Autoscaling = byKeda() })
	await.Eventually(t, "Stalled module", func() error {
		m := readObject[v1.GatiModule](t, ns, "db")
		if err := checkCondition(m.Status.Conditions, v1.ConditionStalled, metav1.ConditionTrue, m.Generation); err != nil {
			return err
		}
		return checkContains(meta.FindStatusCondition(m.Status.Conditions, v1.ConditionStalled).Message, remedy)
	})
	for name, pods := range map[string]int32{"handler-scaled": 3, "handler-fresh": 2, "module-db": 2} {
		if got := *readObject[appsv1.Deployment](t, ns, name).Spec.Replicas; got != pods {
			t.Errorf("%s asks for %d pods, want %d as before", name, got, pods)
		}
	}
	if a := readObject[autoscalingv2.HorizontalPodAutoscaler](t, ns, "handler-scaled"); kedav1alpha1.IsTaken(a) {
		t.Errorf("%v has the autoscaler", a.OwnerReferences)
	}

	if err := keda.Install(t.Context(), admin); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // Else it would not be later when the test runs once more.
		if err := keda.Uninstall(context.Background(), admin); err != nil {
			t.Error(err)
		}
	})
	for _, name := range []string{"handler-scaled", "handler-fresh", "module-db"} {
		await.Eventually(t, "ScaledObject "+name, func() error {
			_, err := findObject[kedav1alpha1.ScaledObject](t, ns, name)
			return err
		})
	}
	for _, name := range []string{"scaled", "fresh"} {
		await.Eventually(t, name+" not Stalled", func() error {
			h := readObject[v1.GatiHandler](t, ns, name)
			return checkCondition(h.Status.Conditions, v1.ConditionStalled, metav1.ConditionFalse, h.Generation)
		})
	}
	t.Run("and removed again", func(t *testing.T) { kedaIsRemoved(t, ns, remedy) })
}

// kedaIsRemoved removes KEDA's API. Once it is back, its objects are made and repaired as
// before.
func kedaIsRemoved(t *testing.T, ns, remedy string) {
	removeAPI(t, kedav1alpha1.Kind,
		func(ctx context.Context) error { return keda.Uninstall(ctx, admin) },
		func(ctx context.Context) error { return keda.Install(ctx, admin) },
		func() { stalledHandler(t, ns, "scaled", remedy) })
	for _, name := range []string{"handler-scaled", "handler-fresh", "module-db"} {
		await.Eventually(t, "ScaledObject "+name+" once more", func() error {
			_, err := findObject[kedav1alpha1.ScaledObject](t, ns, name)
			return err
		})
		assertDeleteRepaired[kedav1alpha1.ScaledObject](t, ns, name)
	}
}

// byKeda lets KEDA scale by the time of the day.
func byKeda() *v1.Autoscaling {
	a := makeAutoscaling(2, 6)
	a.Keda = &v1.Keda{Cron: []v1.KedaCron{{Timezone: "Etc/UTC", Start: "0 8 * * *", End: "0 18 * * *", Replicas: 4}}}
	return a
}
