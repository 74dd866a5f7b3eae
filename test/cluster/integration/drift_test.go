package integration

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
)

// decidedContent is the part of an object that we decide on: not what the server and other
// controllers put there.
func decidedContent(obj client.Object) (map[string]any, error) {
	out, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, err
	}
	for _, path := range [][]string{
		{"metadata", "uid"}, {"metadata", "resourceVersion"}, {"metadata", "generation"}, {"metadata", "creationTimestamp"},
		{"metadata", "managedFields"}, {"metadata", "annotations", "deployment.kubernetes.io/revision"},
		{"spec", "clusterIP"}, {"spec", "clusterIPs"}, {"status"},
	} {
		unstructured.RemoveNestedField(out, path...)
	}
	return out, nil
}

// assertRepaired does something to a child and waits until the child is as before.
func assertRepaired[T any](t *testing.T, ns, name string, harm func()) {
	t.Helper()
	before, err := decidedContent(any(readObject[T](t, ns, name)).(client.Object))
	if err != nil {
		t.Fatal(err)
	}
	harmed := any(readObject[T](t, ns, name)).(client.Object).GetResourceVersion()
	harm()
	await.Eventually(t, fmt.Sprintf("%T %s as it was", *new(T), name), func() error {
		obj, err := findObject[T](t, ns, name)
		if err != nil {
			return err
		}
		if any(obj).(client.Object).GetResourceVersion() == harmed {
			return fmt.Errorf("nothing has happened to it yet")
		}
		now, err := decidedContent(any(obj).(client.Object))
		if err == nil && !reflect.DeepEqual(now, before) {
			a, _ := json.Marshal(before)
			b, _ := json.Marshal(now)
			err = fmt.Errorf("it is\n%s\nwant\n%s", b, a)
		}
		return err
	})
}

// assertEditRepaired is assertRepaired after an edit.
func assertEditRepaired[T any](t *testing.T, ns, name string, edit func(*T)) {
	t.Helper()
	assertRepaired[T](t, ns, name, func() { changeObject(t, ns, name, edit) })
}

// assertDeleteRepaired is assertRepaired after a delete.
func assertDeleteRepaired[T any](t *testing.T, ns, name string) {
	t.Helper()
	uid := any(readObject[T](t, ns, name)).(client.Object).GetUID()
	assertRepaired[T](t, ns, name, func() { removeObject[T](t, ns, name) })
	if any(readObject[T](t, ns, name)).(client.Object).GetUID() == uid {
		t.Errorf("%T %s was never gone", *new(T), name)
	}
}

// assertUnmarkRepaired is assertRepaired after the labels, and then the ownerReference, are gone.
func assertUnmarkRepaired[T any](t *testing.T, ns, name string) {
	t.Helper()
	assertEditRepaired(t, ns, name, func(obj *T) { any(obj).(client.Object).SetLabels(nil) })
	assertEditRepaired(t, ns, name, func(obj *T) { any(obj).(client.Object).SetOwnerReferences(nil) })
}

// "Delete or edit a child: put back." The children of a handler, of every kind: one edit of
// each. TestEveryFieldIsPutBack of test/unitcluster/target has every field.
func TestHandlerChildrenArePutBack(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	createObject(t, builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Replicas(2).Autoscale(2, 5).Env("A", "1").Obj())
	for _, name := range []string{"image", "pods"} {
		createObject(t, builders.MakeHandler(name).Namespace(ns).Image("app:v1.0.0").Replicas(2).Obj())
	}
	for _, name := range []string{"a", "image", "pods"} {
		readyHandler(t, ns, name)
	}
	awaitSettled(t, ns)
	config := listObjects[corev1.ConfigMap, corev1.ConfigMapList](t, ns, v1.LabelHandler, "a")[0].Name
	revision := listRevisions(t, ns, "a")[0].Name

	// Each has an object of its own, whose budget of repairs it does not spend: the next one
	// would be a minute later.
	cases := map[string]func(t *testing.T){
		"Deployment image": func(t *testing.T) {
			assertEditRepaired(t, ns, "handler-image", func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "evil:v1" })
		},
		"Deployment number of pods": func(t *testing.T) {
			const name = "handler-pods"
			assertRepaired[appsv1.Deployment](t, ns, name, func() { runKubectl(t, ns, "", "scale", "deployment/"+name, "--replicas=4") })
			assertDeleteRepaired[appsv1.Deployment](t, ns, name)
		},
		"Deployment marks": func(t *testing.T) {
			assertUnmarkRepaired[appsv1.Deployment](t, ns, "handler-a")
			assertEditRepaired(t, ns, "handler-a", func(d *appsv1.Deployment) { delete(d.Annotations, v1.AnnotationRevision) })
		},
		"Service values": func(t *testing.T) {
			assertEditRepaired(t, ns, "handler-image", func(s *corev1.Service) { s.Spec.Selector[v1.LabelWorkload] = "other" })
			assertDeleteRepaired[corev1.Service](t, ns, "handler-image")
		},
		"Service marks": func(t *testing.T) { assertUnmarkRepaired[corev1.Service](t, ns, "handler-a") },
		"ConfigMap": func(t *testing.T) {
			assertUnmarkRepaired[corev1.ConfigMap](t, ns, config)
			assertDeleteRepaired[corev1.ConfigMap](t, ns, config)
		},
		"HorizontalPodAutoscaler": func(t *testing.T) {
			assertEditRepaired(t, ns, "handler-a", func(h *autoscalingv2.HorizontalPodAutoscaler) { h.Spec.MaxReplicas = 50 })
			assertUnmarkRepaired[autoscalingv2.HorizontalPodAutoscaler](t, ns, "handler-a")
			assertDeleteRepaired[autoscalingv2.HorizontalPodAutoscaler](t, ns, "handler-a")
		},
		"PodDisruptionBudget": func(t *testing.T) {
			two := intstr.FromInt32(2)
			assertEditRepaired(t, ns, "handler-a", func(p *policyv1.PodDisruptionBudget) { p.Spec.MaxUnavailable = &two })
			assertUnmarkRepaired[policyv1.PodDisruptionBudget](t, ns, "handler-a")
			assertDeleteRepaired[policyv1.PodDisruptionBudget](t, ns, "handler-a")
		},
		"ControllerRevision": func(t *testing.T) {
			assertDeleteRepaired[appsv1.ControllerRevision](t, ns, revision)
		},
	}
	for name, prove := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prove(t)
		})
	}
}

// "Delete or edit a child: put back." The children of a module.
func TestModuleChildrenArePutBack(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	for _, name := range []string{"m", "n"} {
		createObject(t, builders.MakeModule(name).Namespace(ns).ModuleName(name).Runtime("node:20").Image("m:v1.0.0").Obj())
	}
	readyModule(t, ns, "m")
	readyModule(t, ns, "n")
	awaitSettled(t, ns)
	config := listObjects[corev1.ConfigMap, corev1.ConfigMapList](t, ns, v1.LabelModule, "m")[0].Name

	cases := map[string]func(t *testing.T){
		"Deployment": func(t *testing.T) {
			assertEditRepaired(t, ns, "module-m", func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "evil:v1" })
			assertUnmarkRepaired[appsv1.Deployment](t, ns, "module-m")
			assertDeleteRepaired[appsv1.Deployment](t, ns, "module-m")
		},
		"Service":   func(t *testing.T) { assertDeleteRepaired[corev1.Service](t, ns, "module-m") },
		"ConfigMap": func(t *testing.T) { assertDeleteRepaired[corev1.ConfigMap](t, ns, config) },
		"NetworkPolicy rules": func(t *testing.T) {
			assertEditRepaired(t, ns, "module-n", func(p *networkingv1.NetworkPolicy) {
				p.Spec.Egress = []networkingv1.NetworkPolicyEgressRule{{}}
			})
			assertDeleteRepaired[networkingv1.NetworkPolicy](t, ns, "module-n")
		},
		"NetworkPolicy marks": func(t *testing.T) { assertUnmarkRepaired[networkingv1.NetworkPolicy](t, ns, "module-m") },
	}
	for name, prove := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prove(t)
		})
	}
}
