package integration

import (
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
)

// awaitObserved waits until the controller has dealt with the present spec, whether or
// not all is well then.
func awaitObserved(t *testing.T, ns, name string) *v1.GatiHandler {
	t.Helper()
	var h *v1.GatiHandler
	await.Eventually(t, "handler "+name+" that was looked at", func() error {
		h = readObject[v1.GatiHandler](t, ns, name)
		if h.Status.ObservedGeneration != h.Generation {
			return fmt.Errorf("observed generation %d of %d", h.Status.ObservedGeneration, h.Generation)
		}
		return nil
	})
	return h
}

// "A new revision is cut only when the user's own inputs change",
// and going back uses the one that is there.
func TestInputsCutOneRevisionAndGoingBackReusesIt(t *testing.T) {
	t.Parallel()
	changes := map[string]func(*v1.GatiHandlerSpec){
		"image":     func(s *v1.GatiHandlerSpec) { s.Image = "app:v2.0.0" },
		"tag alone": func(s *v1.GatiHandlerSpec) { s.Image = "other:v1.0.0" },
		"env":       func(s *v1.GatiHandlerSpec) { s.Env = []corev1.EnvVar{{Name: "LEVEL", Value: "debug"}} },
		"resources": func(s *v1.GatiHandlerSpec) {
			s.Resources = &v1.Resources{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("50m")}}
		},
	}
	for name, edit := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := makeNamespace(t)
			createObject(t, builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Obj())
			first := readyHandler(t, ns, "a")
			original := readObject[appsv1.Deployment](t, ns, "handler-a")

			changeObject(t, ns, "a", func(h *v1.GatiHandler) { edit(&h.Spec) })
			readyHandler(t, ns, "a")
			if n := len(listRevisions(t, ns, "a")); n != 2 {
				t.Fatalf("%d revisions after the change, want 2", n)
			}
			changed := readObject[appsv1.Deployment](t, ns, "handler-a")
			if changed.Annotations[v1.AnnotationRevision] == original.Annotations[v1.AnnotationRevision] {
				t.Errorf("the Deployment still runs %s", changed.Annotations[v1.AnnotationRevision])
			}

			changeObject(t, ns, "a", func(h *v1.GatiHandler) { h.Spec = first.Spec })
			readyHandler(t, ns, "a")
			back := readObject[appsv1.Deployment](t, ns, "handler-a")
			if got, want := back.Annotations[v1.AnnotationRevision], original.Annotations[v1.AnnotationRevision]; got != want {
				t.Errorf("gone back, the Deployment runs %s, want %s", got, want)
			}
			if n := len(listRevisions(t, ns, "a")); n != 2 {
				t.Errorf("%d revisions after going back, want the 2 there were", n)
			}
			if n := len(listObjects[appsv1.ReplicaSet, appsv1.ReplicaSetList](t, ns)); n != 2 {
				t.Errorf("%d ReplicaSets, want 2: the template of before was not used byte for byte", n)
			}
		})
	}
}

// "Not inputs: replicas, autoscaling, rollout, route, versions, schema", nor are
// labels; and "a field equal to its static default is left out of the hash".
func TestWhatIsNoInputRollsNothing(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	createObject(t, builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Obj())
	readyHandler(t, ns, "a")
	before := describeTemplate(t, ns)
	yes, three, port, five := true, int32(3), int32(3000), int32(5)

	for _, tc := range []struct {
		name string
		edit func(*v1.GatiHandler)
	}{
		{"a label", func(h *v1.GatiHandler) { h.Labels = map[string]string{"team": "users"} }},
		{"replicas", func(h *v1.GatiHandler) { h.Spec.Replicas = &three }},
		{"versions", func(h *v1.GatiHandler) { h.Spec.Versions = &v1.VersionPolicy{HistoryLimit: &five} }},
		{"the static default of port", func(h *v1.GatiHandler) { h.Spec.Port = &port }},
		{"the static defaults of healthCheck", func(h *v1.GatiHandler) {
			h.Spec.HealthCheck = &v1.HealthCheck{Type: v1.HealthCheckHTTP, Path: "/health", Interval: "10s", Timeout: "3s", FailureThreshold: &three}
		}},
		{"no health check at all", func(h *v1.GatiHandler) { h.Spec.HealthCheck = nil }},
		{"rollout", func(h *v1.GatiHandler) { h.Spec.Rollout = &v1.Rollout{Strategy: v1.StrategyRollingUpdate} }},
		{"autoscaling", func(h *v1.GatiHandler) { h.Spec.Autoscaling = &v1.Autoscaling{Enabled: &yes} }},
		{"route", func(h *v1.GatiHandler) {
			h.Spec.Route = &v1.Route{ParentRefs: []gatewayv1.ParentReference{{Name: "gateway"}}}
		}},
	} {
		changeObject(t, ns, "a", tc.edit)
		awaitObserved(t, ns, "a")
		awaitSettled(t, ns)
		if now := describeTemplate(t, ns); now != before {
			t.Errorf("%s: %s; before it was %s", tc.name, now, before)
		}
	}
}

// describeTemplate tells by which revision and which ReplicaSets the pods run.
func describeTemplate(t *testing.T, ns string) string {
	t.Helper()
	d := readObject[appsv1.Deployment](t, ns, "handler-a")
	return fmt.Sprintf("%d revisions, %d ReplicaSets, the Deployment runs %s", len(listRevisions(t, ns, "a")),
		len(listObjects[appsv1.ReplicaSet, appsv1.ReplicaSetList](t, ns)), d.Annotations[v1.AnnotationRevision])
}

// "Its ControllerRevision stays within historyLimit".
func TestHistoryLimitPrunesRevisions(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	limit := int32(2)
	createObject(t, builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Spec(func(s *v1.GatiHandlerSpec) {
		s.Versions = &v1.VersionPolicy{HistoryLimit: &limit}
	}).Obj())
	readyHandler(t, ns, "a")
	for i := 2; i <= 5; i++ {
		changeObject(t, ns, "a", func(h *v1.GatiHandler) { h.Spec.Image = fmt.Sprintf("app:v%d.0.0", i) })
		readyHandler(t, ns, "a")
	}
	await.Eventually(t, "the running revision and two more", func() error {
		left := listRevisions(t, ns, "a")
		if len(left) != 3 {
			return fmt.Errorf("%d are left", len(left))
		}
		for i, want := range []string{"app:v3.0.0", "app:v4.0.0", "app:v5.0.0"} {
			if err := checkContains(string(left[i].Data.Raw), want); err != nil {
				return err
			}
		}
		return nil
	})
	// The ConfigMaps go with their revisions, and so do the versions and their records.
	await.Eventually(t, "three ConfigMaps", func() error {
		if n := len(listObjects[corev1.ConfigMap, corev1.ConfigMapList](t, ns, v1.LabelHandler, "a")); n != 3 {
			return fmt.Errorf("%d", n)
		}
		return nil
	})
	onlyRecords(t, ns, map[string]string{"a-v3-0-0": "v3.0.0", "a-v4-0-0": "v4.0.0", "a-v5-0-0": "v5.0.0"})
	if versions := readObject[v1.GatiHandler](t, ns, "a").Status.Versions; len(versions) != 3 {
		t.Errorf("the status has %d versions, want 3", len(versions))
	}
}
