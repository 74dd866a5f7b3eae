package main

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestTargets(t *testing.T) {
	const list = `[
	{"metadata": {"name": "a", "namespace": "n", "labels": {"gati.dev/handler": "users"}, "annotations": {"prometheus.io/port": "3000"}},
	 "spec": {"containers": [{"name": "c", "ports": [{"containerPort": 3000}, {"containerPort": 9090}]}]},
	 "status": {"phase": "Running", "podIP": "10.32.0.5"}},
	{"metadata": {"name": "no-ports", "namespace": "n"}, "spec": {"containers": [{"name": "c"}]}, "status": {"phase": "Running", "podIP": "10.32.0.6"}},
	{"metadata": {"name": "no-address", "namespace": "n"}, "status": {"phase": "Pending"}}]`
	var pods []pod
	if err := json.Unmarshal([]byte(list), &pods); err != nil {
		t.Fatal(err)
	}
	groups := targetsOf(pods)
	if len(groups) != 2 {
		t.Fatalf("got %+v", groups)
	}
	if !slices.Equal(groups[0].Targets, []string{"10.32.0.5:3000", "10.32.0.5:9090"}) || !slices.Equal(groups[1].Targets, []string{"10.32.0.6"}) {
		t.Errorf("the targets are %v and %v", groups[0].Targets, groups[1].Targets)
	}
	for label, want := range map[string]string{
		"__meta_kubernetes_pod_name":                          "a",
		"__meta_kubernetes_namespace":                         "n",
		"__meta_kubernetes_pod_phase":                         "Running",
		"__meta_kubernetes_pod_label_gati_dev_handler":        "users",
		"__meta_kubernetes_pod_annotation_prometheus_io_port": "3000",
	} {
		if got := groups[0].Labels[label]; got != want {
			t.Errorf("%s is %q, want %q", label, got, want)
		}
	}
	if empty, _ := json.Marshal(targetsOf(nil)); string(empty) != "[]" {
		t.Errorf("no pods are %s, which Prometheus does not read", empty)
	}
}
