package monitoring

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gati.dev/gati/internal/render"
)

// TestMonitorsFindTheirPorts holds that monitors name ports that the shipped Deployments
// and Service have, and that only one kind of monitor comes from each folder.
func TestMonitorsFindTheirPorts(t *testing.T) {
	t.Parallel()
	installed, err := render.Objects(render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gati-webhook", "gati-controller"} {
		d := findObject(t, installed, "Deployment", name)
		labels, _, _ := unstructured.NestedStringMap(d.Object, "spec", "template", "metadata", "labels")
		if labels["app.kubernetes.io/part-of"] != "gati" || labels["app.kubernetes.io/name"] != name {
			t.Errorf("the pods of %s have the labels %v, which the monitors do not select", name, labels)
		}
		if !slices.Contains(portNames(d), "metrics") {
			t.Errorf("%s has the ports %v, want metrics", name, portNames(d))
		}
	}
	for folder, kinds := range map[string][2]string{"": {"PodMonitor", "ServiceMonitor"}, "servicemonitors": {"ServiceMonitor", "PodMonitor"}} {
		built := buildKustomization(t, folder)
		for _, name := range []string{"gati-webhook", "gati-handlers"} {
			findObject(t, built, kinds[0], name)
		}
		for _, object := range built {
			if object.GetKind() == kinds[1] {
				t.Errorf("manifests/monitoring/%s has the %s %s, too: each pod would be read twice", folder, kinds[1], object.GetName())
			}
		}
	}
	service := findObject(t, buildKustomization(t, "servicemonitors"), "Service", "gati-metrics")
	selector, _, _ := unstructured.NestedStringMap(service.Object, "spec", "selector")
	if len(selector) != 1 || selector["app.kubernetes.io/part-of"] != "gati" {
		t.Errorf("gati-metrics selects %v", selector)
	}
}

// portNames returns the names of the ports of a Deployment's containers.
func portNames(d *unstructured.Unstructured) (out []string) {
	containers, _, _ := unstructured.NestedSlice(d.Object, "spec", "template", "spec", "containers")
	for _, c := range containers {
		list, _, _ := unstructured.NestedSlice(c.(map[string]any), "ports")
		for _, p := range list {
			name, _, _ := unstructured.NestedString(p.(map[string]any), "name")
			out = append(out, name)
		}
	}
	return out
}
