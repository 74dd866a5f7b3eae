package integration

import (
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
)

// healWithin is the controller's retry of one minute, and some.
const healWithin = 90 * time.Second

// "A foreign Service of that name: Stalled, untouched." So are a Deployment and a
// ConfigMap. Once the foreign one is deleted, the handler heals by itself.
func TestForeignObjectIsLeftAlone(t *testing.T) {
	t.Parallel()
	meta := metav1.ObjectMeta{Name: "handler-a", Labels: map[string]string{"whose": "mine"}}
	t.Run("Service", func(t *testing.T) {
		t.Parallel()
		proveForeign[corev1.Service](t, "Service handler-a", &corev1.Service{ObjectMeta: meta, Spec: corev1.ServiceSpec{
			Selector: map[string]string{"whose": "mine"}, Ports: []corev1.ServicePort{{Port: 80}},
		}})
	})
	t.Run("Deployment", func(t *testing.T) {
		t.Parallel()
		none := int32(0)
		proveForeign[appsv1.Deployment](t, "Deployment.apps handler-a", &appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{
			Replicas: &none, Selector: &metav1.LabelSelector{MatchLabels: meta.Labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: meta.Labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "mine:v1"}}},
			},
		}})
	})
	t.Run("ConfigMap", func(t *testing.T) {
		t.Parallel()
		// Its name depends on its content: a handler elsewhere tells it.
		elsewhere := makeNamespace(t)
		createObject(t, foreignVictim(elsewhere))
		readyHandler(t, elsewhere, "a")
		meta := meta
		meta.Name = listObjects[corev1.ConfigMap, corev1.ConfigMapList](t, elsewhere, v1.LabelHandler, "a")[0].Name
		proveForeign[corev1.ConfigMap](t, "ConfigMap "+meta.Name, &corev1.ConfigMap{ObjectMeta: meta, Data: map[string]string{"a": "b"}})
	})
}

func foreignVictim(ns string) client.Object {
	return builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Obj()
}

func proveForeign[T any](t *testing.T, name string, foreign client.Object) {
	ns := makeNamespace(t)
	foreign.SetNamespace(ns)
	createObject(t, foreign)
	wrote := func() string { return listWriters(any(readObject[T](t, ns, foreign.GetName())).(client.Object)) }
	before := wrote()

	createObject(t, foreignVictim(ns))

	h := stalledHandler(t, ns, "a", name, "was not created by this object")
	if h.Status.Phase != v1.PhaseFailed {
		t.Errorf("phase %s, want Failed", h.Status.Phase)
	}
	if now := wrote(); now != before {
		t.Errorf("the foreign object was written by %s, and before by %s", now, before)
	}

	removeObject[T](t, ns, foreign.GetName())
	await.Within(t, healWithin, "handler that is Ready once the foreign object is gone", func() error {
		h, err := findObject[v1.GatiHandler](t, ns, "a")
		if err != nil {
			return err
		}
		if _, err := findObject[T](t, ns, foreign.GetName()); err != nil {
			return err
		}
		return checkCondition(h.Status.Conditions, v1.ConditionReady, metav1.ConditionTrue, h.Generation)
	})
	if owner := metav1.GetControllerOf(any(readObject[T](t, ns, foreign.GetName())).(client.Object)); owner == nil || owner.UID != h.UID {
		t.Errorf("%s belongs to %v, want handler a", name, owner)
	}
}

// listWriters returns those who have written an object, and when. Kubernetes itself writes the
// status of a Deployment whenever it comes to it.
func listWriters(object client.Object) string {
	var out []string
	for _, m := range object.GetManagedFields() {
		if m.Manager != "kube-controller-manager" {
			out = append(out, fmt.Sprintf("%s (%s at %s)", m.Manager, m.Operation, m.Time.UTC().Format(time.RFC3339)))
		}
	}
	return strings.Join(out, ", ")
}

// A foreign object under one name does not keep the other children away.
func TestForeignServiceDoesNotStopTheRest(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	createObject(t, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "handler-a", Namespace: ns},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
	})
	createObject(t, foreignVictim(ns))
	stalledHandler(t, ns, "a", "Service handler-a")
	readObject[appsv1.Deployment](t, ns, "handler-a")
	if got := readObject[v1.GatiHandler](t, ns, "a").Status.Children; len(got) < 3 {
		t.Errorf("status lists %v, want the ConfigMap, the Deployment and the Service", got)
	}
}
