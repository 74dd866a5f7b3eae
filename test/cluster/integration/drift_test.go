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

// content is the part of an object that we decide on: not what the server and other
// controllers put there.
func content(obj client.Object) (map[string]any, error) {
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

// repaired does something to a child and waits until the child is as before.
func repaired[T any](t *testing.T, ns, name string, harm func()) {
	t.Helper()
	before, err := content(any(read[T](t, ns, name)).(client.Object))
	if err != nil {
		t.Fatal(err)
	}
	harmed := any(read[T](t, ns, name)).(client.Object).GetResourceVersion()
	harm()
	await.Eventually(t, fmt.Sprintf("%T %s as it was", *new(T), name), func() error {
		obj, err := find[T](t, ns, name)
		if err != nil {
			return err
		}
		if any(obj).(client.Object).GetResourceVersion() == harmed {
			return fmt.Errorf("nothing has happened to it yet")
		}
		now, err := content(any(obj).(client.Object))
		if err == nil && !reflect.DeepEqual(now, before) {
			a, _ := json.Marshal(before)
			b, _ := json.Marshal(now)
			err = fmt.Errorf("it is\n%s\nwant\n%s", b, a)
		}
		return err
	})
}

// edited is repaired after an edit.
func edited[T any](t *testing.T, ns, name string, edit func(*T)) {
	t.Helper()
	repaired[T](t, ns, name, func() { change(t, ns, name, edit) })
}

// deleted is repaired after a delete.
func deleted[T any](t *testing.T, ns, name string) {
	t.Helper()
	uid := any(read[T](t, ns, name)).(client.Object).GetUID()
	repaired[T](t, ns, name, func() { remove[T](t, ns, name) })
	if any(read[T](t, ns, name)).(client.Object).GetUID() == uid {
		t.Errorf("%T %s was never gone", *new(T), name)
	}
}

// unmarked is repaired after the labels, and then the ownerReference, are gone.
func unmarked[T any](t *testing.T, ns, name string) {
	t.Helper()
	edited(t, ns, name, func(obj *T) { any(obj).(client.Object).SetLabels(nil) })
	edited(t, ns, name, func(obj *T) { any(obj).(client.Object).SetOwnerReferences(nil) })
}

// "Delete or edit a child: put back." The children of a handler, of every kind.
func TestHandlerChildrenArePutBack(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	create(t, builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Replicas(2).Autoscale(2, 5).Env("A", "1").Obj())
	for _, name := range []string{"image", "env", "pods"} {
		create(t, builders.MakeHandler(name).Namespace(ns).Image("app:v1.0.0").Replicas(2).Obj())
	}
	for _, name := range []string{"a", "image", "env", "pods"} {
		readyHandler(t, ns, name)
	}
	settled(t, ns)
	config := list[corev1.ConfigMap, corev1.ConfigMapList](t, ns, v1.LabelHandler, "a")[0].Name
	revision := revisions(t, ns, "a")[0].Name

	// Each has an object of its own, whose budget of repairs it does not spend: the next one
	// would be a minute later.
	cases := map[string]func(t *testing.T){
		"Deployment image": func(t *testing.T) {
			edited(t, ns, "handler-image", func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "evil:v1" })
		},
		"Deployment environment": func(t *testing.T) {
			edited(t, ns, "handler-env", func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Env = nil })
		},
		"Deployment number of pods": func(t *testing.T) {
			const name = "handler-pods"
			repaired[appsv1.Deployment](t, ns, name, func() { kubectl(t, ns, "", "scale", "deployment/"+name, "--replicas=4") })
			deleted[appsv1.Deployment](t, ns, name)
		},
		"Deployment marks": func(t *testing.T) {
			unmarked[appsv1.Deployment](t, ns, "handler-a")
			edited(t, ns, "handler-a", func(d *appsv1.Deployment) { delete(d.Annotations, v1.AnnotationRevision) })
		},
		"Service values": func(t *testing.T) {
			edited(t, ns, "handler-image", func(s *corev1.Service) { s.Spec.Selector[v1.LabelWorkload] = "other" })
			edited(t, ns, "handler-image", func(s *corev1.Service) { s.Spec.Ports[0].Port = 81 })
			deleted[corev1.Service](t, ns, "handler-image")
		},
		"Service marks": func(t *testing.T) { unmarked[corev1.Service](t, ns, "handler-a") },
		"ConfigMap": func(t *testing.T) {
			unmarked[corev1.ConfigMap](t, ns, config)
			deleted[corev1.ConfigMap](t, ns, config)
		},
		"HorizontalPodAutoscaler": func(t *testing.T) {
			other := int32(99)
			edited(t, ns, "handler-a", func(h *autoscalingv2.HorizontalPodAutoscaler) { h.Spec.MaxReplicas = 50 })
			edited(t, ns, "handler-a", func(h *autoscalingv2.HorizontalPodAutoscaler) {
				h.Spec.Metrics[0].Resource.Target.AverageUtilization = &other
			})
			unmarked[autoscalingv2.HorizontalPodAutoscaler](t, ns, "handler-a")
			deleted[autoscalingv2.HorizontalPodAutoscaler](t, ns, "handler-a")
		},
		"PodDisruptionBudget": func(t *testing.T) {
			two := intstr.FromInt32(2)
			edited(t, ns, "handler-a", func(p *policyv1.PodDisruptionBudget) { p.Spec.MaxUnavailable = &two })
			unmarked[policyv1.PodDisruptionBudget](t, ns, "handler-a")
			deleted[policyv1.PodDisruptionBudget](t, ns, "handler-a")
		},
		"ControllerRevision": func(t *testing.T) {
			deleted[appsv1.ControllerRevision](t, ns, revision)
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
	ns := namespace(t)
	for _, name := range []string{"m", "n"} {
		create(t, builders.MakeModule(name).Namespace(ns).ModuleName(name).Runtime("node:20").Image("m:v1.0.0").Obj())
	}
	readyModule(t, ns, "m")
	readyModule(t, ns, "n")
	settled(t, ns)
	config := list[corev1.ConfigMap, corev1.ConfigMapList](t, ns, v1.LabelModule, "m")[0].Name

	cases := map[string]func(t *testing.T){
		"Deployment": func(t *testing.T) {
			edited(t, ns, "module-m", func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "evil:v1" })
			unmarked[appsv1.Deployment](t, ns, "module-m")
			deleted[appsv1.Deployment](t, ns, "module-m")
		},
		"Service":   func(t *testing.T) { deleted[corev1.Service](t, ns, "module-m") },
		"ConfigMap": func(t *testing.T) { deleted[corev1.ConfigMap](t, ns, config) },
		"NetworkPolicy rules": func(t *testing.T) {
			edited(t, ns, "module-n", func(p *networkingv1.NetworkPolicy) {
				p.Spec.Egress = []networkingv1.NetworkPolicyEgressRule{{}}
			})
			deleted[networkingv1.NetworkPolicy](t, ns, "module-n")
		},
		"NetworkPolicy marks": func(t *testing.T) { unmarked[networkingv1.NetworkPolicy](t, ns, "module-m") },
	}
	for name, prove := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prove(t)
		})
	}
}
